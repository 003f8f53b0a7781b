// The tick of the clock: queues a run for every schedule that has come due, and says when each is due next.
// Its run has an id that follows from trigger and time, so it is queued first and the schedule moved on
// afterwards: a tick that dies in between queues it again, and the run exists already. Two ticks at once do
// the same work with one effect.
import { hasEnded } from '#lib/access/key-in-force.ts';
import { principalKind } from '#lib/access/principal.ts';
import { deriveRunId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { enqueue } from '#lib/run/run-queue.ts';
import { shardsOf } from '#lib/schedule/due-shards.ts';
import { decideDueRun, graceMs, type Schedule } from '#lib/schedule/schedule.ts';
import { countBudgetStop, findBudgetStop } from '#lib/usage/check-budget.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { advance, queryDue, readTriggerToRun, replaceTrigger } from './trigger-items.ts';

interface Tick {
  /** Ms since 1970. */
  readonly now: number;
  /** Whose shards are looked at; by default all of them. */
  readonly clock?: number | undefined;
  /** What is left of this invocation, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

interface Due extends StoredTrigger {
  readonly schedule: Schedule;
  readonly scheduled_since: string;
  readonly next_due: string;
}

/** Schedules of one shard that are handled at the same time. */
const concurrency = 10;
/** Missed times of one schedule that one tick handles; the next tick continues. */
const timesMax = 20;
/** Left at the end of an invocation: what is due then, the next tick finds. */
const settleMs = 10_000;

/** Rejects when some schedules could not be dealt with, after it has tried all. */
export async function fireDue(tick: Tick): Promise<void> {
  const failures: unknown[] = [];
  const shards = shardsOf(tick.clock).map((shard) => fireShard(shard, tick, failures));
  failures.push(...rejections(await Promise.allSettled(shards)));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules were not run.`);
}

const rejections = (outcomes: readonly PromiseSettledResult<void>[]): unknown[] =>
  outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));

/** `failures` get the reasons why schedules were not run. Rejects when the shard cannot be read. */
async function fireShard(shard: string, tick: Tick, failures: unknown[]): Promise<void> {
  for await (const some of queryDue(shard, toIso(tick.now), concurrency)) {
    if (some.length > 0 && tick.remainingMs() <= settleMs) {
      tick.log.warn('schedules are left for the next minute', { shard });
      break;
    }
    failures.push(...rejections(await Promise.allSettled(some.map((id) => fireLogged(id, tick)))));
  }
}

type Id = Parameters<typeof readTriggerToRun>[0];

async function fireLogged(id: Id, tick: Tick): Promise<void> {
  try {
    await fire(id, tick);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    tick.log.error('a schedule could not be run', { orgid: id.orgid, trigger_id: id.trigger_id, reason });
    throw error;
  }
}

async function fire(id: Id, tick: Tick): Promise<void> {
  let trigger = await readTriggerToRun(id);
  for (let turn = 0; turn < timesMax && trigger && isDue(trigger, tick.now); turn += 1) {
    if (await hasEnded({ id: trigger.updated_by, orgid: trigger.orgid })) return await stop(trigger, tick);
    trigger = (await runOnce(trigger, tick)) ?? (await readTriggerToRun(id));
  }
}

const isDue = (trigger: StoredTrigger, now: number): trigger is Due =>
  trigger.schedule !== undefined &&
  trigger.scheduled_since !== undefined &&
  trigger.next_due !== undefined &&
  Date.parse(trigger.next_due) <= now;

/** The trigger as it is then; undefined when somebody else has changed it. */
async function runOnce(trigger: Due, { now, log }: Tick): Promise<StoredTrigger | undefined> {
  const { schedule, next_due, trigger_id, orgid } = trigger;
  const running = { schedule, since: Date.parse(trigger.scheduled_since) };
  const { runs, next } = decideDueRun(running, Date.parse(next_due), now);
  const skipped = runs ? skippedByBudget(trigger) : missed(trigger, now);
  if (!skipped) await enqueue(toMessage(trigger));
  const progress = {
    next_due: next === undefined ? undefined : toIso(next),
    ...(skipped && { last_skipped: skipped }),
  };
  if (!(await advance(trigger, progress))) return undefined;
  if (skipped) {
    // Counted by who has stored it, and by nobody else. What a budget stops has a metric of its own.
    if (skipped.reason === 'missed') count('SchedulesSkipped');
    else countBudgetStop(trigger);
    log.warn('a schedule was skipped', {
      trigger_id,
      orgid,
      scheduled_at: next_due,
      reason: skipped.reason,
    });
  }
  return { ...trigger, ...progress };
}

const missed = ({ next_due }: Due, now: number) =>
  ({ from: next_due, until: toIso(now - graceMs), reason: 'missed' }) as const;

/** A run that ends at once, every minute, would inform nobody. */
function skippedByBudget(trigger: Due) {
  if (findBudgetStop(trigger) === undefined) return undefined;
  const { next_due } = trigger;
  return { from: next_due, until: next_due, reason: 'budget_exhausted' } as const;
}

const toMessage = (trigger: Due) =>
  ({
    kind: 'schedule',
    triggerId: deriveScheduledRunId(trigger),
    orgid: trigger.orgid,
    workspaceid: trigger.workspaceid,
    flowid: trigger.flowid,
    caller: { id: trigger.updated_by, orgid: trigger.orgid },
    trigger_id: trigger.trigger_id,
    scheduled_at: trigger.next_due,
  }) as const;

/** By its creation, too: another trigger that takes the id later has runs of its own. */
export const deriveScheduledRunId = (
  trigger: Pick<Due, 'orgid' | 'trigger_id' | 'created_at' | 'next_due'>,
): string =>
  deriveRunId(
    JSON.stringify(['schedule', trigger.orgid, trigger.trigger_id, trigger.created_at, trigger.next_due]),
  );

/** To resume the schedule, somebody writes the trigger with a key in force. */
async function stop(trigger: Due, { now, log }: Tick): Promise<void> {
  const { scheduled_since: _, next_due: __, ...rest } = trigger;
  const stopped = {
    ...rest,
    enabled: false,
    disabled_reason: describeEnd(trigger.updated_by),
    version: trigger.version + 1,
    updated_at: toIso(now),
  };
  await replaceTrigger(stopped, trigger);
  log.warn('a schedule was stopped', { trigger_id: trigger.trigger_id, caller: trigger.updated_by });
}

const describeEnd = (id: string): string =>
  principalKind(id) === 'user'
    ? `The user ${id}, who wrote the trigger last, is no member of the organisation any more.`
    : `The API key ${id}, which wrote the trigger last, was revoked.`;

const toIso = (ms: number): string => new Date(ms).toISOString();
