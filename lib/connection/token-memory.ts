// The OAuth tokens and the sessions of roles in the memory of this process, by the id of the connection value they
// belong to.
import { setTimeout } from 'node:timers/promises';
import { type BoundedMap, boundedMap } from '#lib/bounded-map.ts';
import type { Secret } from '#lib/secret.ts';
import type { AwsSession } from './assume-role.ts';
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
  readonly held: BoundedMap<string, Held>;
  /** Token requests in progress, which concurrent callers share. */
  readonly pending: Map<string, Promise<Tokens>>;
  /** New refresh tokens that could not be stored. The stored ones were used up to get them. */
  readonly unstored: BoundedMap<string, Secret>;
  readonly sessions: BoundedMap<string, AwsSession>;
  /** Calls of STS in progress, which concurrent callers share. */
  readonly pendingSessions: Map<string, Promise<AwsSession>>;
  readonly clock: TokenClock;
}

const processClock: TokenClock = { now: Date.now, sleep: setTimeout };

export const newTokenMemory = (clock: Partial<TokenClock> = {}): TokenMemory => ({
  held: boundedMap({ entriesMax: 1_000 }),
  pending: new Map(),
  unstored: boundedMap({ entriesMax: 1_000 }),
  sessions: boundedMap({ entriesMax: 1_000 }),
  pendingSessions: new Map(),
  clock: { ...processClock, ...clock },
});
