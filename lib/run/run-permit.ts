// The permits of callers that wait for runs: which of them are unused follows from their runs.
import { acquirePermit, releaseEnded } from '#lib/limits/concurrency-permit.ts';
import type { HeldPermit, Permit } from '#lib/limits/permit-items.ts';
import type { Log } from '#lib/log.ts';
import { endIfAbandoned } from './end.ts';
import { readRuns } from './read-runs.ts';
import { isFinal, keepUntil, type StoredRun } from './stored-run.ts';

/** A permit, and those that were held when it was taken. */
export interface RunPermit {
  readonly permit: Permit;
  readonly held: readonly HeldPermit[];
}

/** Permits are kept as long as the runs, because lists find runs that have no event yet by them. */
export async function acquireRunPermit(permit: Permit, nowMs: number): Promise<RunPermit> {
  const held =
    permit.use === 'wait'
      ? await acquirePermit({ ...permit, ttl: keepUntil(permit.untilMs) }, nowMs, findUnused)
      : await acquirePermit(permit, nowMs);
  return { permit, held };
}

/** Call it once the end of the run is stored. */
export const releaseRunPermit = async ({ permit, held }: RunPermit, log: Log): Promise<void> =>
  await releaseEnded(permit, held, findUnused, log);

async function findUnused(permits: readonly HeldPermit[], nowMs: number): Promise<readonly string[]> {
  const runs = await readRuns(permits.map(({ runId }) => runId));
  const now = Date.now();
  const unused = await Promise.all(
    permits.map(async ({ runId, untilMs }) =>
      (await isUnused(runs.get(runId), untilMs < nowMs, now)) ? [runId] : [],
    ),
  );
  return unused.flat();
}

/**
 * Until its time is over, only the end of its run shows that a permit is unused. After that, the request that has
 * taken it must execute the run. If its process died, the run is ended now: no
 * list would find it without its permit. A permit without a run is that of a request that died before it stored the
 * run, of a run that is stored with its end, or of a caller who waited for a run that a worker executes.
 */
async function isUnused(run: StoredRun | undefined, isOverdue: boolean, now: number): Promise<boolean> {
  if (!run || !isOverdue) return run ? isFinal(run.status) : isOverdue;
  const { status, mode } = await endIfAbandoned(run, now);
  return mode !== 'inline' || isFinal(status);
}
