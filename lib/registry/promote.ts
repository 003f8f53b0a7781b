// Promotion: the row to live and the former live row to test, in one conditional transaction.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { type LiveBuild, swapLive } from './live/live-items.ts';
import { ownRow } from './own-row.ts';
import { readFlow } from './row-items.ts';
import type { StoredRow } from './stored-row.ts';

export interface Wish {
  readonly at: string;
  readonly requestId?: string | undefined;
  /** Registry id of the build that must be live now, or `none`. */
  readonly expectedLive?: string | undefined;
  /** Of the row that is to go live; another is refused. */
  readonly expectedVersion?: number | undefined;
}

/** The row that is live now, and the one that returned to test for it. */
export interface Swapped {
  readonly row: StoredRow;
  readonly demoted?: string | undefined;
}

/**
 * Idempotent: a row that is live stays so, whatever was expected. Two AWS calls when the row's guess of the live build is right, one more
 * for each part of it that is not; races are read again and tried again.
 */
export async function promote(caller: Caller, id: string, wish: Wish): Promise<Swapped> {
  const swapped = await retryOnConflict(async (n): Promise<Swapped | undefined> => {
    const row = await ownRow(caller, id, wish.expectedVersion);
    if (row.status === 'live') return { row };
    if (n === 0) return await swapOver(firstGuess(row, wish.expectedLive), row, caller, wish);
    const live = await readLive(row);
    if (live?.id === id) return undefined;
    requireExpected(live, wish);
    return await swapOver(live, row, caller, wish);
  });
  if (swapped) return swapped;
  const live = await readLive(await ownRow(caller, id));
  throw conflict(`Other changes of this flow were faster; ${told(live)}. Try again.`);
}

/** Each failed transaction says what is live and of which version, so the next one knows more. */
async function swapOver(
  guess: LiveBuild | undefined,
  row: StoredRow,
  caller: Caller,
  wish: Wish,
): Promise<Swapped | undefined> {
  let live = guess;
  for (let tries = 0; tries < 3; tries += 1) {
    const outcome = await swapLive({ kind: 'promotion', row, live, by: caller.id, ...wish });
    if (outcome.is === 'done') return { row: liveRow(row, live, wish.at), demoted: live?.id };
    if (outcome.is === 'conflict') return undefined;
    live = outcome.live;
    requireExpected(live, wish);
  }
  return undefined;
}

function firstGuess(row: StoredRow, expected: string | undefined): LiveBuild | undefined {
  const id = expected === 'none' ? undefined : (expected ?? row.seen_live);
  if (id === undefined) return undefined;
  return { id, version: id === row.seen_live ? (row.seen_live_version ?? 0) : 0 };
}

async function readLive(row: StoredRow): Promise<LiveBuild | undefined> {
  const flow = await readFlow(row.flowid, row.orgid, row.workspaceid);
  return flow?.live === undefined ? undefined : { id: flow.live, version: flow.live_version ?? 0 };
}

function requireExpected(live: LiveBuild | undefined, { expectedLive }: Wish): void {
  if (expectedLive === undefined || expectedLive === (live?.id ?? 'none')) return;
  const expected = expectedLive === 'none' ? 'no live build' : `${expectedLive} to be live`;
  throw conflict(`Expected ${expected}, but ${told(live)}.`);
}

const told = (live: LiveBuild | undefined): string => `${live?.id ?? 'no build'} is live`;

const conflict = (detail: string) => new ServiceError('promotion_conflict', { detail });

const liveRow = (row: StoredRow, over: LiveBuild | undefined, at: string): StoredRow => ({
  ...row,
  status: 'live',
  version: row.version + 1,
  updated_at: at,
  seen_live: undefined,
  seen_live_version: undefined,
  previous_live: over?.id,
});
