// Gives each node the fetch for the connection it names. The code that handles credentials
// (`authorized-fetch.ts`) is loaded with the first request that needs one.

import type { ConnectionFetch, ConnectionFetchOptions } from './authorized-fetch.ts';

/** Without a name, requests carry no credential. Throws `NodeError` (codes `connection.*`). */
export type GetConnectionFetch = (name: string | undefined) => Promise<ConnectionFetch>;

/** For one run: each connection is read and decrypted once, before its first request. */
export function createConnectionFetches(options: ConnectionFetchOptions): GetConnectionFetch {
  const fetches = new Map<string, Promise<ConnectionFetch>>();
  const plain: ConnectionFetch = { fetch: options.fetch, redact: (text) => text.toWellFormed() };
  return async (name) => {
    if (name === undefined) return plain;
    const known = fetches.get(name) ?? load(options, name);
    fetches.set(name, known);
    // A failure is not cached, so that a retry of the node reads the connection again.
    known.catch(() => fetches.delete(name));
    return await known;
  };
}

async function load(options: ConnectionFetchOptions, name: string): Promise<ConnectionFetch> {
  const { createAuthorizedFetch } = await import('./authorized-fetch.ts');
  return await createAuthorizedFetch(options, name);
}
