// The permits of callers that wait for runs: which of them are unused follows from their runs.
import { acquirePermit } from '#lib/limits/concurrency-permit.ts';
import type { Permit } from '#lib/limits/permit-items.ts';
import { endIfAbandoned } from './end.ts';
import { readRuns } from './read-runs.ts';
import { isFinal, keepUntil, type StoredRun } from './stored-run.ts';

/** Permits are kept as long as the runs, because lists find runs that have no event yet by them. */
export const acquireRunPermit = async (permit: Permit, nowMs: number): Promise<void> =>
  permit.use === 'wait'
    ? await acquirePermit({ ...permit, ttl: keepUntil(permit.untilMs) }, nowMs, findUnused)
    : await acquirePermit(permit, nowMs);

async function findUnused(ids: readonly string[]): Promise<readonly string[]> {
  const runs = await readRuns(ids);
  const now = Date.now();
  const unused = await Promise.all(
    ids.map(async (id) => ((await isExecuted(runs.get(id), now)) ? [] : [id])),
  );
  return unused.flat();
}

/**
 * Whether the request that has taken the permit executes the run. If its process died, the run is ended now: no
 * list would find it without its permit. A permit without a run is that of a request that died before it stored the
 * run, or of a caller who waited for a run that a worker executes.
 */
async function isExecuted(run: StoredRun | undefined, now: number): Promise<boolean> {
  if (!run) return false;
  const { status, mode } = await endIfAbandoned(run, now);
  return mode === 'inline' && !isFinal(status);
}
