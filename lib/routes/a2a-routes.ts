// The hosted A2A URLs. Who may call is decided by the row's visibility (`a2aRegistryAccess`).
import * as z from 'zod';
import { route, runsFlows } from '#lib/http/route.ts';
import { buildReference, flowid, registryId } from '#lib/ids.ts';

const call = {
  method: 'POST',
  tag: 'A2A',
  description:
    'A2A v1.0 over JSON-RPC 2.0: SendMessage, SendStreamingMessage (server-sent events), GetTask,' +
    ' ListTasks, CancelTask, SubscribeToTask. Send the header `A2A-Version: 1.0`. Protocol errors are ' +
    'JSON-RPC errors with status 200.',
  credentials: ['apiKey', 'bearer', 'session'],
  scope: 'agents:call',
  rawBody: {
    description: 'A JSON-RPC request.',
    example: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Where is my order 1042?' }] },
      },
    },
  },
  query: z.object({
    'A2A-Version': z
      .string()
      .max(16)
      .optional()
      .meta({ description: 'Instead of the header, for clients that cannot set one.' }),
  }),
  bodyKind: 'agent',
  requestHeaders: ['A2A-Extensions', 'traceparent', 'tracestate'],
  crossOrigin: 'tenant',
  response: {
    status: 200,
    description: 'A JSON-RPC response, or a stream of them as `text/event-stream`.',
    schema: z.looseObject({ jsonrpc: z.literal('2.0') }).meta({ id: 'JsonRpcResponse' }),
  },
  errors: ['payload_unreadable', 'too_many_runs', 'budget_exhausted'],
  uses: [...runsFlows, 'tasks.list', 'cards.sign'],
  timeout: 'run',
  transfer: 'stream',
} as const;

export const live = z.strictObject({ flowId: flowid });
export const build = z.strictObject({ flowId: flowid, registryId: buildReference });
export const agent = z.strictObject({ registryId });

/** The addresses of the other bindings, below that of JSON-RPC. */
const otherBindings = (path: `/${string}`) =>
  [
    { name: 'rest', method: 'ANY', path: `${path}/rest/{subpath+}` },
    { name: 'rest', method: 'ANY', path: `${path}/rest` },
    { name: 'v0.3', method: 'POST', path: `${path}/v0.3` },
  ] as const;

export const a2aRoutes = {
  callLiveAgent: route({
    ...call,
    path: '/api/v1/ai/a2a/{flowId}',
    also: otherBindings('/api/v1/ai/a2a/{flowId}'),
    entry: 'a2a/call-live',
    params: live,
    summary: 'Call the live build of a flow',
  }),
  callTestAgent: route({
    ...call,
    path: '/api/v1/ai/a2a/{flowId}/{registryId}',
    also: otherBindings('/api/v1/ai/a2a/{flowId}/{registryId}'),
    entry: 'a2a/call-test',
    params: build,
    summary: 'Call one build of a flow',
  }),
  callAgent: route({
    ...call,
    path: '/api/v1/ai/a2a/agents/{registryId}',
    also: otherBindings('/api/v1/ai/a2a/agents/{registryId}'),
    entry: 'a2a/call-agent',
    params: agent,
    summary: 'Call an agent by its registry id',
  }),
} as const;
