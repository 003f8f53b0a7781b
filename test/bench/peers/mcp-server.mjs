// An MCP server of the official SDK with express, as its documentation has it.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express from 'express';

export function createApp({ authenticate, buildServer }) {
  const app = express();
  app.use(express.json());
  const handle = toNodeHandler(createMcpHandler(({ authInfo }) => buildServer(authInfo.extra.caller)));
  app.post('/mcp', async (request, response) => {
    const caller = await authenticate(request.headersDistinct);
    request.auth = { token: '', clientId: caller.id, scopes: [], extra: { caller } };
    await handle(request, response, request.body);
  });
  return app;
}
