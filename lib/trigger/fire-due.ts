// The tick of the clock: queues a run for every schedule that has come due, and says when each is due next.
// Its run has an id that follows from trigger and time, so it is queued first and the schedule moved on
// afterwards: a tick that dies in between queues it again, and the run exists already. Two ticks at once do
// the same work with one effect.
import { hasEnded } from '#lib/access/key-in-force.ts';
import { principalKind } from '#lib/access/principal.ts';
import { deriveRunId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import { enqueue } from '#lib/run/run-queue.ts';
import { decideDueRun, type Schedule } from '#lib/schedule/schedule.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { advance, queryDue, readTrigger, replaceTrigger } from './trigger-items.ts';

interface Tick {
  /** Ms since 1970. */
  readonly now: number;
  /** What is left of this invocation, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

interface Due extends StoredTrigger {
  readonly schedule: Schedule;
  readonly scheduled_since: string;
  readonly next_due: string;
}

/** Schedules that are handled at the same time. */
const concurrency = 10;
/** Missed times of one schedule that one tick handles; the next tick continues. */
const timesMax = 20;
/** Left at the end of an invocation: what is due then, the next tick finds. */
const settleMs = 10_000;

/** Rejects when some schedules could not be dealt with, after it has tried all. */
export async function fireDue(tick: Tick): Promise<void> {
  const failures: unknown[] = [];
  for await (const some of queryDue(toIso(tick.now), concurrency)) {
    if (tick.remainingMs() <= settleMs) break;
    const outcomes = await Promise.allSettled(some.map((id) => fire(id, tick)));
    failures.push(...outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules were not run.`);
}

async function fire(id: Parameters<typeof readTrigger>[0], tick: Tick): Promise<void> {
  for (let turn = 0; turn < timesMax; turn += 1) {
    const trigger = await readTrigger(id);
    if (!trigger || !isDue(trigger, tick.now)) return;
    if (await hasEnded({ id: trigger.updated_by, orgid: trigger.orgid })) await stop(trigger, tick);
    else await runOnce(trigger, tick);
  }
}

const isDue = (trigger: StoredTrigger, now: number): trigger is Due =>
  trigger.schedule !== undefined &&
  trigger.scheduled_since !== undefined &&
  trigger.next_due !== undefined &&
  Date.parse(trigger.next_due) <= now;

async function runOnce(trigger: Due, { now, log }: Tick): Promise<void> {
  const { schedule, next_due, trigger_id, orgid } = trigger;
  const running = { schedule, since: Date.parse(trigger.scheduled_since) };
  const { runs, next } = decideDueRun(running, Date.parse(next_due), now);
  if (runs) await enqueue(toMessage(trigger));
  else log.warn('a schedule missed its time', { trigger_id, orgid, scheduled_at: next_due });
  await advance(trigger, next === undefined ? undefined : toIso(next));
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
