// The hosted A2A URLs: JSON-RPC by POST, the Agent Card by GET. Who may call is decided by the row's
// visibility (`a2aRegistryAccess`).
import * as z from 'zod';
import { route, runsFlows } from '#lib/http/route.ts';
import { buildReference, flowid, registryId } from '#lib/ids.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';

const call = {
  method: 'POST',
  tag: 'A2A',
  description:
    'A2A v1.0 over JSON-RPC 2.0: SendMessage, SendStreamingMessage (server-sent events), GetTask,' +
    ' ListTasks, CancelTask, SubscribeToTask. Send the header `A2A-Version: 1.0`. Protocol errors are ' +
    'JSON-RPC errors with status 200.',
  credentials: ['apiKey', 'bearer'],
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
  requestHeaders: ['A2A-Extensions'],
  crossOrigin: 'tenant',
  response: {
    status: 200,
    description: 'A JSON-RPC response, or a stream of them as `text/event-stream`.',
    schema: z.looseObject({ jsonrpc: z.literal('2.0') }).meta({ id: 'JsonRpcResponse' }),
  },
  errors: ['payload_unreadable', 'too_many_runs'],
  uses: [...runsFlows, 'tasks.list', 'cursorKey.derive'],
  timeout: 'run',
  transfer: 'stream',
} as const;

const card = {
  method: 'GET',
  tag: 'A2A',
  description: 'Open to all for public agents; the cards of other agents need a key of their organisation.',
  credentials: ['apiKey', 'bearer'],
  optionalCredentials: true,
  query: z.object({}),
  requestHeaders: ['If-None-Match', 'If-Modified-Since'],
  crossOrigin: 'all',
  response: { status: 200, description: 'The signed Agent Card.', schema: agentCard },
  errors: [],
  uses: ['signingKey.publicKey', 'control.read'],
  timeout: 'quick',
  transfer: 'buffered',
} as const;

const live = z.strictObject({ flowId: flowid });
const build = z.strictObject({ flowId: flowid, registryId: buildReference });
const agent = z.strictObject({ registryId });

/** The addresses of the other bindings, below that of JSON-RPC. */
const otherBindings = (path: `/${string}`) =>
  [
    { name: 'rest', method: 'ANY', path: `${path}/rest/{subpath+}` },
    { name: 'rest', method: 'ANY', path: `${path}/rest` },
    { name: 'v0.3', method: 'POST', path: `${path}/v0.3` },
  ] as const;

/** The card for clients of A2A 0.3, at the address of theirs. */
const legacyCard = (path: `/${string}`) =>
  [{ name: 'v0.3', method: 'GET', path: `${path}/v0.3/.well-known/agent-card.json` }] as const;

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
  getLiveCard: route({
    ...card,
    path: '/api/v1/ai/a2a/{flowId}/.well-known/agent-card.json',
    also: legacyCard('/api/v1/ai/a2a/{flowId}'),
    entry: 'a2a/card-live',
    params: live,
    summary: 'Agent Card of the live build',
  }),
  getTestCard: route({
    ...card,
    path: '/api/v1/ai/a2a/{flowId}/{registryId}/.well-known/agent-card.json',
    also: legacyCard('/api/v1/ai/a2a/{flowId}/{registryId}'),
    entry: 'a2a/card-test',
    params: build,
    summary: 'Agent Card of one build',
  }),
  getAgentCard: route({
    ...card,
    path: '/api/v1/ai/a2a/agents/{registryId}/.well-known/agent-card.json',
    also: legacyCard('/api/v1/ai/a2a/agents/{registryId}'),
    entry: 'a2a/card-agent',
    params: agent,
    summary: 'Agent Card by registry id',
  }),
  getRootCard: route({
    ...card,
    path: '/.well-known/agent-card.json',
    entry: 'a2a/card-root',
    summary: 'Agent Card of the agent that the tenant has chosen',
    description: `${card.description} Only if the tenant has chosen an agent.`,
    errors: ['row_not_found'],
    uses: [...card.uses, 'rootAgent.find'],
  }),
} as const;
