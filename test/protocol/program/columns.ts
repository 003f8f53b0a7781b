// The columns of the table: each client at each address, and the scenarios in it, one after the other.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { sender } from '#lib/local/send.ts';
import type { ReceivedRequest, Receiver } from '#test/support/receiver.ts';
import { type Address, NotOffered, type TestedClient } from './client.ts';
import { connectClient03 } from './client-v0-3.ts';
import { connectClient10 } from './client-v1.ts';
import { type AgentUrl, connectionCalls, type TestedService, type UrlName, urlNames } from './deployment.ts';
import { scenarios } from './scenarios.ts';
import type { Result } from './table.ts';

interface ClientKind {
  readonly client: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly connect: (address: Address) => Promise<TestedClient>;
}

const manifest = z.object({ version: z.string() });

function readVersion(name: string): string {
  const file = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

const clientKinds: readonly ClientKind[] = [
  ...(['JSONRPC', 'HTTP+JSON'] as const).map((binding) => ({
    client: `js ${readVersion('@a2a-js/sdk')}`,
    binding,
    connect: (address: Address) => connectClient10(address, binding),
  })),
  { client: `js ${readVersion('a2a-js-sdk-0.3')}`, binding: 'JSONRPC', connect: connectClient03 },
];

export type Column = ClientKind & { readonly url: UrlName };
export const columns: readonly Column[] = urlNames.flatMap((url) =>
  clientKinds.map((kind) => ({ ...kind, url })),
);

export type PushReceiver = Receiver<ReceivedRequest> | undefined;

export async function tryColumn(
  { client, binding, url, connect }: Column,
  service: TestedService,
  receiver: PushReceiver,
): Promise<Result[]> {
  const { baseUrl, workspaceid, agents } = service;
  const key = await service.newKey();
  const at = (agent: AgentUrl) => connect({ ...agent, key, jwksUrl: `${baseUrl}/.well-known/jwks.json` });
  const connections = connectionCalls(sender({ baseUrl, apiKey: key }), workspaceid);
  const connected = at(agents.states[url]);
  // Each scenario reports it.
  connected.catch(() => {});
  const results: Result[] = [];
  for (const [scenario, attempt] of Object.entries(scenarios)) {
    const connectToWaiting = () => at(agents.connection[url]);
    const verdict = await judge(async () =>
      attempt({ client: await connected, connectToWaiting, ...connections, receiver }),
    );
    results.push({ scenario, client, binding, url, ...verdict });
  }
  return results;
}

const patienceMs = 90_000;

async function judge(attempt: () => Promise<void>): Promise<Pick<Result, 'outcome' | 'reason'>> {
  const over = new AbortController();
  const late = setTimeout(patienceMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it has not ended after ${patienceMs / 1_000} s`);
  });
  late.catch(() => {});
  try {
    await Promise.race([attempt(), late]);
    return { outcome: 'pass' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: error instanceof NotOffered ? 'not offered' : 'fail', reason };
  } finally {
    over.abort();
  }
}
