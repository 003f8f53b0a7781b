// The ticket system of the sample flow `ticket-agent`: an MCP server by the official SDK at `/mcp`, for
// callers with the token `ticket-token`. `/closed` says which tickets were closed.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { listen } from '#lib/local/listen.ts';
import { asSent } from '../sent-request.ts';

const tickets = [
  { id: '4711', subject: 'The printer on floor 2 prints blank pages' },
  { id: '4712', subject: 'No sound in the meeting room' },
];
const closed: string[] = [];

const json = (value: object) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: { ...value },
});

function ticketServer(): McpServer {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' });
  server.registerTool(
    'find_tickets',
    { description: 'Finds tickets by words.', inputSchema: z.object({ query: z.string() }) },
    ({ query }) => {
      const words = query.toLowerCase().split(/\W+/);
      return json({
        tickets: tickets.filter(({ subject }) => words.some((word) => subject.toLowerCase().includes(word))),
      });
    },
  );
  server.registerTool(
    'close_ticket',
    { description: 'Closes a ticket.', inputSchema: z.object({ ticket_id: z.string() }) },
    ({ ticket_id }) => {
      closed.push(ticket_id);
      return json({ closed: ticket_id });
    },
  );
  return server;
}

const mcp = toNodeHandler(createMcpHandler(ticketServer));

const server = createServer(async (request, response) => {
  if (request.url === '/closed') return void response.end(JSON.stringify(closed));
  if (request.headers.authorization !== 'Bearer ticket-token') return void response.writeHead(401).end('{}');
  return await mcp(asSent(request), response);
});
process.send?.(await listen(server, 0));
process.once('disconnect', () => process.exit());
