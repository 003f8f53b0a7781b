// Promotion: the row to live and the former live row to test, in one conditional transaction.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { swapLive } from './change/store.ts';
import { contend } from './contention.ts';
import { ownRow } from './own-row.ts';
import { readFlow } from './store.ts';
import type { StoredRow } from './stored.ts';

/** Idempotent. Two AWS calls when the row's guess of the live build is right, one more when it is not; races are re-read and tried again. */
export async function promote(
  caller: Caller,
  id: string,
  at: string,
  { expectedVersion }: { readonly expectedVersion?: number | undefined } = {},
): Promise<StoredRow> {
  const promoted = await contend(async (n) => {
    const row = await ownRow(caller, id, expectedVersion);
    if (row.status === 'live') return row;
    const seenLive = n === 0 ? row.seen_live : (await readFlow(row.flowid, row.orgid, row.workspaceid))?.live;
    const first = await swapLive(row, seenLive, caller.id, at);
    const outcome =
      first.done || !first.pointerMoved ? first : await swapLive(row, first.live, caller.id, at);
    return outcome.done ? liveRow(row, at) : undefined;
  });
  if (promoted) return promoted;
  throw new ServiceError('promotion_conflict', {
    detail: 'Other promotions of this flow were faster; try again.',
  });
}

const liveRow = (row: StoredRow, at: string): StoredRow => ({
  ...row,
  status: 'live',
  version: row.version + 1,
  updated_at: at,
  seen_live: undefined,
});
