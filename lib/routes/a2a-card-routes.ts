// The Agent Cards of the hosted A2A URLs. In a table of its own, because the functions that run flows load that of the
// calls.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';
import { agent, build, live } from './a2a-routes.ts';

const card = {
  method: 'GET',
  tag: 'A2A',
  description: 'Open to all for public agents; the cards of other agents need a key of their organisation.',
  credentials: ['apiKey', 'bearer', 'session'],
  optionalCredentials: true,
  scope: 'agents:read',
  query: z.object({}),
  requestHeaders: ['If-None-Match', 'If-Modified-Since'],
  crossOrigin: 'all',
  response: { status: 200, description: 'The signed Agent Card.', schema: agentCard },
  errors: [],
  uses: ['signingKey.publicKey', 'control.read', 'cards.sign', 'catalog.publish'],
  timeout: 'quick',
  transfer: 'buffered',
} as const;

/** The card for clients of A2A 0.3, at the address of theirs. */
const legacyCard = (path: `/${string}`) =>
  [{ name: 'v0.3', method: 'GET', path: `${path}/v0.3/.well-known/agent-card.json` }] as const;

export const a2aCardRoutes = {
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
