// A schedule in words. Pure.
import { toString as describeCron } from 'cronstrue';
import type { Trigger } from './trigger-body.ts';
import { words } from './words.ts';

type Schedule = NonNullable<Trigger['schedule']>;

export function describeSchedule({ cron, rate, at, timezone }: Schedule): string {
  if (rate !== undefined) return words.every(rate);
  if (at !== undefined) return words.once(formatInZone(at, timezone));
  return words.inZone(describe(cron ?? ''), timezone);
}

/** The service allows more than the library knows; then the expression speaks for itself. */
function describe(cron: string): string {
  try {
    return describeCron(cron, { use24HourTimeFormat: true });
  } catch {
    return cron;
  }
}

/** Such as `Tue, 1 Dec 2026, 06:00 CET`. */
export const formatInZone = (time: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(time));
