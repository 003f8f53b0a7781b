// Creates the client of the A2A SDK for an agent from its Agent Card, which lists its interfaces. Import this
// file lazily only.
import type { AgentCard } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { hostName } from '#lib/egress/network-failure.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { truncate } from '#lib/truncate.ts';
import type { AgentEndpoint } from './agent-endpoint.ts';
import type { KeySource } from './verify-card.ts';

const wellKnown = '/.well-known/agent-card.json';

/** Also supports agents of A2A 0.3, of which there are many. */
const legacyCompat = { enabled: true };
const resolver = new DefaultAgentCardResolver({ legacyCompat });

interface CardAccess {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Present if the card must be verified. */
  readonly keys: KeySource | undefined;
  /** URIs of the extensions that the requests activate. */
  readonly extensions: readonly string[];
}

export async function createA2AClient(endpoint: AgentEndpoint, access: CardAccess): Promise<Client> {
  const { fetch, extensions } = access;
  const options = { fetchImpl: fetch, legacyCompat };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    cardResolver: resolver,
  });
  const card = endpoint.isOwn ? ownCard(endpoint.url) : await fetchCard(endpoint.url, access);
  requireExtensions(card, endpoint.url, extensions);
  try {
    return await factory.createFromAgentCard(card);
  } catch (cause) {
    const host = hostName(endpoint.url);
    const message = `The Agent Card of ${host} lists no interface for JSON-RPC or HTTP+JSON that can be used.`;
    throw new NodeError('a2a.bad_answer', message, { cause });
  }
}

/** A message without an extension that the card requires would be refused (A2A §3.3.4). */
function requireExtensions({ capabilities }: AgentCard, url: string, sent: readonly string[]): void {
  const required = (capabilities?.extensions ?? []).filter((each) => each.required);
  const missing = required.map(({ uri }) => uri).filter((uri) => !sent.includes(uri));
  if (missing.length === 0) return;
  const uris = truncate(missing.join(', '), 1_000);
  throw new NodeError(
    'a2a.extension_required',
    `${hostName(url)} requires the extension ${uris}, which \`extensions\` must list.`,
  );
}

/** The fields of a card that the factory reads. */
const ownCard = (url: string) =>
  resolver.normalizeAgentCard({
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { pushNotifications: true },
  });

/**
 * Reads the URL itself if it names a card, else the card below the URL, else the card of its host (A2A §8.2).
 */
async function fetchCard(text: string, { fetch, signal, keys }: CardAccess): Promise<AgentCard> {
  const parsed = new URL(text);
  const isCard = parsed.pathname.endsWith('.json');
  const atAgent = `${parsed.origin}${parsed.pathname.replace(/\/$/, '')}${wellKnown}`;
  const urls = isCard ? [parsed.href] : [...new Set([atAgent, `${parsed.origin}${wellKnown}`])];
  for (const url of urls) {
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal });
    if (response.ok) return await readCard(await response.text(), text, keys);
    await response.body?.cancel();
  }
  throw new NodeError('a2a.not_found', `${hostName(text)} has no Agent Card there.`);
}

async function readCard(text: string, url: string, keys: KeySource | undefined): Promise<AgentCard> {
  if (keys && text.length > verifiedCharsMax) throw tooLarge(url);
  const card = readAs(url, () => JSON.parse(text));
  const trusted = keys ? await verifySignatures(card, url, keys) : card;
  return readAs(url, () => resolver.normalizeAgentCard(trusted));
}

/**
 * Canonical forms of a larger card would take a second of CPU time. Cards of this service have 150,000 bytes at
 * most.
 */
const verifiedCharsMax = 256 * 1024;

const tooLarge = (url: string) =>
  new NodeError(
    'a2a.unverified',
    `The Agent Card of ${hostName(url)} is larger than ${verifiedCharsMax} characters.`,
  );

async function verifySignatures(card: unknown, url: string, keys: KeySource): Promise<object> {
  const { verifyCard } = await import('./verify-card.ts');
  return await verifyCard(card, url, keys);
}

function readAs<T>(url: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new NodeError('a2a.bad_answer', `The Agent Card of ${hostName(url)} cannot be read.`, { cause });
  }
}
