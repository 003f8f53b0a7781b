// The MCP server for AI assistants. Which agents a caller may see and call is decided as for the hosted A2A URLs.
import * as z from 'zod';
import { route, showsRuns, storesRuns } from '#lib/http/route.ts';

export const connectorRoutes = {
  callConnector: route({
    method: 'POST',
    path: '/api/v1/ai/mcp',
    entry: 'connector/serve',
    tag: 'Connector',
    summary: 'Find and call agents from an AI assistant',
    description:
      'An MCP server over Streamable HTTP without sessions, for revisions 2026-07-28 and 2025-11-25, with the tools discover_agents, ' +
      'list_agents and call_agent. Errors are JSON-RPC errors; those of the HTTP layer have problem details in `error.data`.',
    credentials: ['apiKey', 'bearer', 'session'],
    resource: 'connector',
    rawBody: {
      description: 'A JSON-RPC request or notification of MCP.',
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    },
    bodyKind: 'agent',
    requestHeaders: ['traceparent', 'tracestate'],
    crossOrigin: 'tenant',
    errorForm: 'jsonRpc',
    response: {
      status: 200,
      description: 'A JSON-RPC response, or a stream that ends with it as `text/event-stream`.',
      schema: z.looseObject({ jsonrpc: z.literal('2.0') }).meta({ id: 'McpResponse' }),
    },
    errors: ['insufficient_scope'],
    uses: [...storesRuns, ...showsRuns, 'connectorTools.offer', 'files.read'],
    timeout: 'run',
    transfer: 'stream',
  }),
} as const;
