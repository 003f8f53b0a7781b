// When the schedule of a trigger is due next.
import { ServiceError } from '#lib/errors.ts';
import { nextRuns } from '#lib/schedule/schedule.ts';
import type { StoredTrigger } from './stored-trigger.ts';

/** Times in RFC 3339; none while the trigger is disabled, or when the schedule is over. */
export function computeNextRuns(trigger: StoredTrigger, count: number, at: string): string[] {
  const { trigger_id, workspaceid, schedule, enabled, scheduled_since } = trigger;
  if (!schedule)
    throw new ServiceError('trigger_kind_mismatch', {
      detail: `The trigger ${trigger_id} has no schedule.`,
      workspaceid,
    });
  if (!enabled || scheduled_since === undefined) return [];
  const running = { schedule, since: Date.parse(scheduled_since) };
  return nextRuns(running, Date.parse(at), count).map((time) => new Date(time).toISOString());
}
