// The permits of callers that wait for runs: removing those that have expired ends their runs.
import { acquirePermit } from '#lib/limits/concurrency-permit.ts';
import type { Permit } from '#lib/limits/permit-items.ts';
import { endIfAbandoned } from './end.ts';
import { readRuns } from './read-runs.ts';
import { keepUntil } from './stored-run.ts';

/**
 * Ends the runs of expired permits before these are removed, because no list would find them afterwards. For the
 * same reason permits are kept as long as the runs, also if nobody starts another run meanwhile.
 */
export const acquireRunPermit = async (permit: Permit, nowMs: number): Promise<void> =>
  permit.use === 'wait'
    ? await acquirePermit({ ...permit, ttl: keepUntil(permit.untilMs) }, nowMs, endRuns)
    : await acquirePermit(permit, nowMs);

/** A caller may also have waited for a run that has its own process. */
async function endRuns(ids: readonly string[]): Promise<void> {
  const runs = [...(await readRuns(ids)).values()];
  const now = Date.now();
  await Promise.all(runs.map((run) => endIfAbandoned(run, now)));
}
