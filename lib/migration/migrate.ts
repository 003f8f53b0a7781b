// One slice of a migration: as many items as fit into an invocation. After each few items it stores how far it is, so
// an invocation that dies repeats only these.
import { isTransientFailure } from '#lib/aws.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import type { Item } from '#lib/dynamo/items.ts';
import { scanPage } from '#lib/dynamo/scan.ts';
import { meterWrites } from '#lib/dynamo/write-meter.ts';
import type { Log } from '#lib/log.ts';
import type { Job } from './job.ts';
import type { JobName } from './job-names.ts';
import { jobs } from './jobs.ts';
import type { Progress } from './progress.ts';
import { readProgress, replaceProgress, type StoredProgress } from './progress-items.ts';

export interface Slice {
  readonly job: JobName;
  readonly action: 'start' | 'continue' | 'status';
  /** Write units of the table in a second, on average. */
  readonly writeUnits: number;
  /** What is left of this invocation, in ms. */
  readonly remainingMs: () => number;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly log: Log;
}

/** Left at the end of an invocation, for the items in progress. */
export const settleMs = 20_000;
/** Longer than a pause and the items after it take. */
const holdMs = 60_000;
const pageItems = 100;
/** Items that are rewritten at the same time. */
const concurrency = 5;
const failuresMax = 20;

export async function migrate(slice: Slice): Promise<Progress> {
  const before = await readProgress(slice.job);
  if (slice.action === 'status' || isHeld(before, slice.now())) return describe(before, slice.now());
  if (before?.state === 'done' && slice.action === 'continue') return describe(before, slice.now());
  const begun = before?.state === 'running' ? before : begin(slice.now());
  const claimed = await replaceProgress(slice.job, before, hold(begun, slice.now()));
  if (!claimed) return describe(await readProgress(slice.job), slice.now());
  return describe(await workOn(claimed, slice), slice.now());
}

const isHeld = (progress: StoredProgress | undefined, now: number): boolean =>
  progress?.state === 'running' && progress.held_until > now;

function begin(now: number): Omit<StoredProgress, 'revision'> {
  const at = new Date(now).toISOString();
  const counts = { seen: 0, changed: 0, failed: 0, failures: [] };
  return { state: 'running', ...counts, started_at: at, updated_at: at, held_until: 0, next_at: now };
}

const hold = (progress: Omit<StoredProgress, 'revision'>, now: number) => ({
  ...progress,
  updated_at: new Date(now).toISOString(),
  held_until: now + holdMs,
});

/** Until the end of the job or of the time. Ends early when another process has taken over. */
async function workOn(claimed: StoredProgress, slice: Slice): Promise<StoredProgress> {
  let progress = claimed;
  for await (const group of listGroups(jobs[slice.job], claimed.cursor)) {
    await payOff(progress, slice);
    if (slice.remainingMs() <= settleMs) break;
    const after = await rewriteGroup(group, progress, slice);
    const stored = await replaceProgress(slice.job, progress, hold(after, slice.now()));
    if (!stored) return progress;
    progress = stored;
  }
  return (await replaceProgress(slice.job, progress, { ...progress, held_until: 0 })) ?? progress;
}

interface Group {
  readonly items: readonly Item[];
  /** Where the next group begins; undefined for the last one. */
  readonly cursor: Item | undefined;
}

async function* listGroups({ items: wanted }: Job, cursor: Item | undefined): AsyncGenerator<Group> {
  let start = cursor;
  do {
    const { items, lastKey } = await scanPage(controlTable, {
      ...wanted,
      Limit: pageItems,
      ExclusiveStartKey: start,
    });
    for (let n = 0; n < items.length - concurrency; n += concurrency) {
      const group = items.slice(n, n + concurrency);
      yield { items: group, cursor: keyOf(group.at(-1)) };
    }
    yield { items: items.slice(lastGroupStart(items.length)), cursor: lastKey };
    start = lastKey;
  } while (start);
}

const lastGroupStart = (count: number): number =>
  count === 0 ? 0 : Math.floor((count - 1) / concurrency) * concurrency;

const keyOf = ({ pk, sk, gsi1pk, gsi1sk }: Item = {}): Item => ({ pk, sk, gsi1pk, gsi1sk });

/** Waits until the write units that were used fit the rate, or the time of this invocation is over. */
async function payOff({ next_at }: StoredProgress, { now, pause, remainingMs }: Slice): Promise<void> {
  const waitMs = Math.min(next_at - now(), remainingMs() - settleMs);
  if (waitMs > 0) await pause(waitMs);
}

async function rewriteGroup(
  { items, cursor }: Group,
  before: StoredProgress,
  { job, writeUnits, now, log }: Slice,
): Promise<StoredProgress> {
  const startedAt = now();
  const { result: outcomes, units } = await meterWrites(
    async () => await Promise.allSettled(items.map(jobs[job].rewrite)),
  );
  const failures = outcomes.flatMap((each, n) =>
    each.status === 'rejected' ? [{ key: String(items[n]?.pk), error: each.reason }] : [],
  );
  for (const { key, error } of failures) {
    if (isTransientFailure(error)) throw error;
    log.error('an item was not migrated', { job, key, error });
  }
  const changed = outcomes.filter((each) => each.status === 'fulfilled' && each.value === 'changed').length;
  return {
    ...before,
    state: cursor ? 'running' : 'done',
    cursor,
    seen: before.seen + items.length,
    changed: before.changed + changed,
    failed: before.failed + failures.length,
    failures: [...before.failures, ...failures.map(({ key }) => key)].slice(0, failuresMax),
    next_at: Math.max(startedAt, before.next_at) + (units * 1_000) / writeUnits,
  };
}

function describe(stored: StoredProgress | undefined, now: number): Progress {
  if (!stored) return { state: 'new', seen: 0, changed: 0, failed: 0, failures: [], is_held: false };
  const { state, seen, changed, failed, failures, started_at, updated_at } = stored;
  return { state, seen, changed, failed, failures, started_at, updated_at, is_held: isHeld(stored, now) };
}
