// What this process remembers of access tokens, by the value of the connection that they were got with.
import { LRUCache } from 'lru-cache';
import type { Tokens } from './token-endpoint.ts';

interface Held {
  readonly tokens: Tokens;
  /** Ms since 1970. */
  readonly until: number;
}

export interface TokenMemory {
  readonly held: LRUCache<string, Held>;
  /** Requests under way: who comes later waits for the same. */
  readonly pending: Map<string, Promise<Tokens>>;
  readonly now: () => number;
}

export const newTokenMemory = (now: () => number = Date.now): TokenMemory => ({
  held: new LRUCache({ max: 1_000 }),
  pending: new Map(),
  now,
});
