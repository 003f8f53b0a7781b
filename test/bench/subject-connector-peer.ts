// The tools of the connector behind the official SDK's server with express, with our check of the credential.
import './zod-as-deployed.ts';
import { createServer, type RequestListener } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { authenticate, type HeaderValues } from '#lib/access/credential.ts';
import { callAgent } from '#lib/connector/call-agent.ts';
import { discoverAgents } from '#lib/connector/discover-agents.ts';
import { listAgents } from '#lib/connector/list-agents.ts';
import type { Tool, ToolCall } from '#lib/connector/tool.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';

interface ServerParts {
  readonly authenticate: (headers: HeaderValues) => Promise<unknown>;
  readonly buildServer: (caller: Caller) => McpServer;
}
const peer = z.object({
  createApp: z.custom<(parts: ServerParts) => RequestListener>((value) => typeof value === 'function'),
});
const { createApp } = peer.parse(await import(new URL('peers/mcp-server.mjs', import.meta.url).href));

function buildServer(caller: Caller): McpServer {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  const request = { caller, at: new Date().toISOString() } as ToolCall['request'];
  for (const tool of [discoverAgents, listAgents, callAgent]) addTool(server, tool, request);
  return server;
}

function addTool(server: McpServer, tool: Tool, request: ToolCall['request']): void {
  const { name, title, description, annotations, input: inputSchema, output: outputSchema } = tool;
  const config = { title, description, annotations, inputSchema, outputSchema };
  server.registerTool(name, config, async (args: unknown, { mcpReq: mcp }) => {
    const outcome = await tool.call(args, { request, mcp, era: 'modern' });
    if (!('text' in outcome)) throw new Error('The bench asks for nothing else.');
    return { content: [{ type: 'text', text: outcome.text }], structuredContent: { ...outcome.structured } };
  });
}

const app = createApp({
  authenticate: (headers) => authenticate(['apiKey', 'bearer'], headers),
  buildServer,
});
answer({ cpu: cpuMicros });
sayReady({ url: `${await listen(createServer(app), 0)}/mcp` });
