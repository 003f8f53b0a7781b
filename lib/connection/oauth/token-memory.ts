// What this process remembers of OAuth tokens, by the value of the connection that they were got with.
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Secret } from '#lib/secret.ts';
import type { Tokens } from './token-endpoint.ts';

interface Held {
  readonly tokens: Tokens;
  /** Ms since 1970. */
  readonly until: number;
}

interface TokenClock {
  /** Ms since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export interface TokenMemory {
  readonly held: LRUCache<string, Held>;
  /** Requests under way: who comes later waits for the same. */
  readonly pending: Map<string, Promise<Tokens>>;
  /** Refresh tokens that were got and could not be stored: better than those that are, which were spent for them. */
  readonly unstored: LRUCache<string, Secret>;
  readonly clock: TokenClock;
}

const processClock: TokenClock = { now: Date.now, sleep: setTimeout };

export const newTokenMemory = (clock: Partial<TokenClock> = {}): TokenMemory => ({
  held: new LRUCache({ max: 1_000 }),
  pending: new Map(),
  unstored: new LRUCache({ max: 1_000 }),
  clock: { ...processClock, ...clock },
});
