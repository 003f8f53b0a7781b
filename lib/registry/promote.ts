// Promotion: the row to live and the former live row to test, in one conditional transaction.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import { type LiveBuild, swapLive } from './live-items.ts';
import { ownRow } from './row/own-row.ts';
import { readFlow } from './row/row-items.ts';
import type { StoredRow } from './row/stored-row.ts';

export interface PromoteOptions {
  readonly at: string;
  readonly requestId?: string | undefined;
  /** Registry id of the build that must be live now, or `none`. */
  readonly expectedLive?: string | undefined;
  /** The version that the row must have; any other is refused. */
  readonly expectedVersion?: number | undefined;
}

/** The row that is live now, and the id of the one that returned to test for it. */
export interface LiveBuildChange {
  readonly row: StoredRow;
  readonly demoted?: string | undefined;
}

/**
 * Idempotent: a row that is live stays live, whatever was expected. Two AWS calls when the row's guess of the
 * live build is right, and one more for its id and its version each where they are not. After a race the row
 * is read again and the promotion is retried.
 */
export async function promote(caller: Caller, id: string, options: PromoteOptions): Promise<LiveBuildChange> {
  const changed = await retryOnConflict(async (n): Promise<LiveBuildChange | undefined> => {
    const row = await ownRow(caller, id, options.expectedVersion);
    return await inWorkspace(row, tryPromotion(row, n, caller, options));
  });
  if (changed) return changed;
  const row = await ownRow(caller, id);
  return await inWorkspace(row, refuseContended(row));
}

/** `n` counts the tries from 0. */
async function tryPromotion(
  row: StoredRow,
  n: number,
  caller: Caller,
  options: PromoteOptions,
): Promise<LiveBuildChange | undefined> {
  if (row.status === 'live') return { row };
  if (n === 0) return await swapFrom(firstGuess(row, options.expectedLive), row, caller, options);
  const live = await readLive(row);
  if (live?.id === row.a2aregistryid) return undefined;
  requireExpected(live, options);
  return await swapFrom(live, row, caller, options);
}

async function refuseContended(row: StoredRow): Promise<never> {
  const live = await readLive(row);
  throw promotionConflict(`Other changes of this flow were faster; ${describeLive(live)}. Try again.`);
}

/**
 * A failed transaction returns which build is live, or of which version it is, which the next attempt uses.
 */
async function swapFrom(
  guess: LiveBuild | undefined,
  row: StoredRow,
  caller: Caller,
  options: PromoteOptions,
): Promise<LiveBuildChange | undefined> {
  let live = guess;
  for (let tries = 0; tries < 3; tries += 1) {
    const outcome = await swapLive({ kind: 'promotion', row, live, by: caller.id, ...options });
    if (outcome.is === 'done') return { row: liveRow(row, live, options.at), demoted: live?.id };
    if (outcome.is === 'conflict') return undefined;
    live = outcome.live;
    requireExpected(live, options);
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

function requireExpected(live: LiveBuild | undefined, { expectedLive }: PromoteOptions): void {
  if (expectedLive === undefined || expectedLive === (live?.id ?? 'none')) return;
  const expected = expectedLive === 'none' ? 'no live build' : `${expectedLive} to be live`;
  throw promotionConflict(`Expected ${expected}, but ${describeLive(live)}.`);
}

const describeLive = (live: LiveBuild | undefined): string => `${live?.id ?? 'no build'} is live`;

const promotionConflict = (detail: string) => new ServiceError('promotion_conflict', { detail });

const liveRow = (row: StoredRow, over: LiveBuild | undefined, at: string): StoredRow => ({
  ...row,
  status: 'live',
  version: row.version + 1,
  updated_at: at,
  seen_live: undefined,
  seen_live_version: undefined,
  previous_live: over?.id,
});
