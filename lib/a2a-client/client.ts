// Makes the official client for an agent: from its card, which is where its interfaces are. Import this file lazily only.
import type { AgentCard } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { hostOf } from '#lib/egress/network-failure.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { AgentPlace } from './port.ts';

const wellKnown = '/.well-known/agent-card.json';

/** Also speaks to agents of A2A 0.3, of which there are many. */
const legacyCompat = { enabled: true };
const resolver = new DefaultAgentCardResolver({ legacyCompat });

export async function clientOf(
  place: AgentPlace,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Client> {
  const options = { fetchImpl: fetch, legacyCompat };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    cardResolver: resolver,
  });
  const card = place.isOwn ? ownCard(place.url) : await foundCard(place.url, fetch, signal);
  return await factory.createFromAgentCard(card);
}

/** As much of a card as the factory reads. */
const ownCard = (url: string) =>
  resolver.normalizeAgentCard({
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
  });

/** The URL itself if it is one of a card; else the card of the agent there, else the card of its host (A2A §8.2). */
async function foundCard(
  text: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<AgentCard> {
  const url = new URL(text);
  const isCard = url.pathname.endsWith('.json');
  const atAgent = `${url.origin}${url.pathname.replace(/\/$/, '')}${wellKnown}`;
  const places = isCard ? [url.href] : [...new Set([atAgent, `${url.origin}${wellKnown}`])];
  for (const place of places) {
    const response = await fetch(place, { headers: { accept: 'application/json' }, signal });
    if (response.ok) return readCard(await response.text(), text);
    await response.body?.cancel();
  }
  throw new NodeError('a2a.not_found', `${hostOf(text)} has no Agent Card there.`);
}

function readCard(text: string, url: string): AgentCard {
  try {
    return resolver.normalizeAgentCard(JSON.parse(text));
  } catch (cause) {
    throw new NodeError('a2a.bad_answer', `The Agent Card of ${hostOf(url)} cannot be read.`, { cause });
  }
}
