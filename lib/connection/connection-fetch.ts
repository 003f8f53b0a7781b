// The way out for a connection of the flow, by its name: what a request passes that carries a credential is in `connected.ts`, which is loaded
// with the first such request.

import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import type { FindConnection } from './find.ts';
import type { TokenMemory } from './oauth/token-memory.ts';

export interface Connected {
  readonly fetch: GuardedFetch;
  /** The text without what was sent as a credential, should the host have repeated it. */
  readonly hide: (text: string) => string;
}

/** The way out for the connection of that name; without a name there is nothing to add. Throws `NodeError` (codes `connection.*`). */
export type Connect = (name: string | undefined) => Promise<Connected>;

export interface ConnectOptions {
  readonly fetch: GuardedFetch;
  /** Those of the flow. */
  readonly declared: DeclaredConnections;
  readonly find: FindConnection;
  readonly memory: TokenMemory;
}

/** For one run: each connection is read and opened once, with its first request. */
export function createConnect(options: ConnectOptions): Connect {
  const open = new Map<string, Promise<Connected>>();
  const plain: Connected = { fetch: options.fetch, hide: (text) => text.toWellFormed() };
  return async (name) => {
    if (name === undefined) return plain;
    const known = open.get(name) ?? load(options, name);
    open.set(name, known);
    // A run that tries again after a failure asks again.
    known.catch(() => open.delete(name));
    return await known;
  };
}

async function load(options: ConnectOptions, name: string): Promise<Connected> {
  const { connected } = await import('./authorized-fetch.ts');
  return await connected(options, name);
}
