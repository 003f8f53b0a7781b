// A real MCP server by the official SDK, for both eras of the protocol at `/mcp`, with sessions (2025-11-25)
// at `/session`, and with a list of tools that has pages at `/paged?pages=`. `/sessions` says how many
// sessions are open.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { asSent } from '../sent-request.ts';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

function toolServer(authorization: string | null, traceparent?: string | null): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  // As numbers, with every digit.
  server.registerTool('find', {}, () => ({
    ...text('found'),
    structuredContent: { id: Reflect.get(JSON, 'rawJSON')('820982911946154508'), even: 2 ** 53, name: 'Zoë' },
  }));
  server.registerTool('say', { inputSchema: z.object({ words: z.array(z.string()) }) }, ({ words }) => ({
    content: words.map((word) => ({ type: 'text' as const, text: word })),
  }));
  server.registerTool('show', {}, () => ({
    content: [{ type: 'image' as const, data: 'aGk=', mimeType: 'image/png' }],
  }));
  server.registerTool('fail', {}, () => {
    throw new Error('The warehouse is on fire.');
  });
  server.registerTool('sleep', {}, async (context) => {
    await setTimeout(60_000, undefined, { signal: context.mcpReq.signal }).catch(() => undefined);
    return text('awake');
  });
  server.registerTool('flood', {}, () => text('x'.repeat(2 * 1024 ** 2)));
  server.registerTool('whoami', {}, () => text(`You are ${authorization ?? 'nobody'}.`));
  server.registerTool('trace', {}, ({ mcpReq }) => {
    const structuredContent = { meta: mcpReq._meta?.traceparent ?? null, header: traceparent ?? null };
    return { ...text('traced'), structuredContent };
  });
  server.registerTool('blab', {}, () => {
    throw new Error(`I was sent ${authorization}`);
  });
  return server;
}

const everyEra = toNodeHandler(
  createMcpHandler(({ requestInfo: { headers } = {} }) =>
    toolServer(headers?.get('authorization') ?? null, headers?.get('traceparent')),
  ),
);

const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function withSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (id !== undefined && !known) {
    response.writeHead(404).end();
    return;
  }
  const transport = known ?? (await newSession(request.headers.authorization ?? null));
  await transport.handleRequest(request, response);
}

async function newSession(authorization: string | null): Promise<NodeStreamableHTTPServerTransport> {
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await toolServer(authorization).connect(transport);
  return transport;
}

/** Each page has two tools. */
const paged = (pages: number) =>
  toNodeHandler(
    createMcpHandler(() => {
      const server = new Server({ name: 'paged', version: '1.0.0' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', ({ params }) => {
        const page = Number(params?.cursor ?? 0);
        const tools = ['a', 'b'].map((name) => ({
          name: `${name}${page}`,
          inputSchema: { type: 'object' as const },
        }));
        return { tools, ...(page + 1 < pages && { nextCursor: String(page + 1) }) };
      });
      return server;
    }),
  );

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (pathname === '/mcp') return await everyEra(asSent(request), response);
  if (pathname === '/paged') return await paged(Number(searchParams.get('pages')))(asSent(request), response);
  if (pathname === '/session') return await withSession(request, response);
  if (pathname === '/sessions') return void response.end(String(sessions.size));
  const status = Number(pathname.slice(1));
  return void response.writeHead(status || 404).end('{}');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(`http://127.0.0.1:${address.port}`);
});
process.once('disconnect', () => process.exit());
