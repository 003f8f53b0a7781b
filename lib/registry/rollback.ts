// Rollback: the build that was live before the live one, live again, in one conditional transaction.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import { swapLive } from './live-items.ts';
import type { LiveBuildChange, PromoteOptions } from './promote.ts';
import { ownRow } from './row/own-row.ts';
import { readFlow, readRow } from './row/row-items.ts';
import type { StoredRow } from './row/stored-row.ts';

/**
 * Three AWS calls. The row to leave must be named, and live: so a rollback that is sent twice goes back one
 * step only. The build that comes back remembers which one it was promoted over, so another rollback
 * continues from there.
 */
export async function rollback(
  caller: Caller,
  id: string,
  options: Omit<PromoteOptions, 'expectedLive'>,
): Promise<LiveBuildChange> {
  const changed = await retryOnConflict(async (): Promise<LiveBuildChange | undefined> => {
    const live = await ownRow(caller, id, options.expectedVersion);
    return await inWorkspace(live, tryRollback(live, caller, options));
  });
  if (changed) return changed;
  const { workspaceid } = await ownRow(caller, id, options.expectedVersion);
  throw new ServiceError('promotion_conflict', {
    detail: 'Other changes of this flow were faster; read the row again.',
    workspaceid,
  });
}

async function tryRollback(
  live: StoredRow,
  caller: Caller,
  options: Omit<PromoteOptions, 'expectedLive'>,
): Promise<LiveBuildChange | undefined> {
  if (live.status !== 'live') throw await notLive(live);
  const former = live.previous_live === undefined ? undefined : await readRow(live.previous_live);
  if (!former) throw noFormerBuild(live);
  const { done, row } = await swapBack(live, former, caller, options);
  return done ? { row, demoted: live.a2aregistryid } : undefined;
}

async function swapBack(
  live: StoredRow,
  former: StoredRow,
  caller: Caller,
  { at, requestId }: Omit<PromoteOptions, 'expectedLive'>,
) {
  const seen = { id: live.a2aregistryid, version: live.version };
  const swap = { row: former, live: seen, liveRow: live, by: caller.id, at, requestId };
  const outcome = await swapLive({ kind: 'rollback', ...swap });
  const row: StoredRow = {
    ...former,
    status: 'live',
    version: former.version + 1,
    updated_at: at,
    seen_live: undefined,
    seen_live_version: undefined,
  };
  return { done: outcome.is === 'done', row };
}

async function notLive(row: StoredRow): Promise<ServiceError> {
  const flow = await readFlow(row.flowid, row.orgid, row.workspaceid);
  const liveNow = flow?.live === undefined ? 'No build of the flow is live' : `${flow.live} is live`;
  return new ServiceError('row_not_live', { detail: `Only the live build can be rolled back. ${liveNow}.` });
}

const noFormerBuild = (live: StoredRow): ServiceError =>
  new ServiceError('no_former_build', {
    detail:
      live.previous_live === undefined
        ? 'No build was live before this one.'
        : `${live.previous_live}, which was live before this one, has been deleted.`,
  });
