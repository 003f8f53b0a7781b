// When the schedule of a trigger is due next.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { nextRuns } from '#lib/schedule/schedule.ts';
import { ownTrigger } from './own-trigger.ts';

/** Times in RFC 3339; none while the trigger is disabled, or when the schedule is over. */
export async function nextRunsOf(caller: Caller, id: string, count: number, at: string): Promise<string[]> {
  const { schedule, enabled, scheduled_since } = await ownTrigger(caller, id);
  if (!schedule)
    throw new ServiceError('trigger_kind_mismatch', { detail: `The trigger ${id} has no schedule.` });
  if (!enabled || scheduled_since === undefined) return [];
  const running = { schedule, since: Date.parse(scheduled_since) };
  return nextRuns(running, Date.parse(at), count).map((time) => new Date(time).toISOString());
}
