// How long runs are kept: the days of the tenant, counted from their end. As no one knows the end beforehand, a run says when it must be over
// at the latest; one that rests for longer says so then.
import { requireEnv } from '#lib/env.ts';
import type { StoredRun } from './stored-run.ts';

/** A run that no worker has taken by then counts as failed. */
export const queueWaitMs = 12 * 3_600_000;

/** Of a queued run, from when a worker first takes it, or from the answer it waited for, to its end. */
export const queuedLimitMs = (): number => Number(requireEnv('BACKGROUND_LIMIT_SECONDS')) * 1_000;

const dayMs = 86_400_000;
export const retentionMs = (): number => Number(requireEnv('RUN_RETENTION_DAYS')) * dayMs;

/** A question that nobody answers stands for good: for longer than anybody waits. */
const forGoodMs = 3_650 * dayMs;

const seconds = (ms: number) => Math.floor(ms / 1_000);

/** `ttl` of a run that begins at a time, or is over then: so also of one that is queued first, and takes all its time. */
export const keepUntil = (ms: number): number => seconds(ms + queueWaitMs + queuedLimitMs() + retentionMs());

/** `ttl` of a run that rests until a time, or without one until somebody comes. It stays where it is as long as that is enough. */
export function keepAtRest({ ttl }: Pick<StoredRun, 'ttl'>, wakeAt: number | undefined, now: number): number {
  const enough = wakeAt === undefined ? now + forGoodMs / 2 : wakeAt;
  if (ttl >= seconds(enough + queuedLimitMs() + retentionMs())) return ttl;
  return keepUntil(wakeAt ?? now + forGoodMs);
}
