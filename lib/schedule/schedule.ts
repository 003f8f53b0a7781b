// The schema of a schedule, when it is due, and what to do when it is. The current time is passed in.
import * as z from 'zod';
import { nextCronTime, parseCron } from './cron-times.ts';

const minuteMs = 60_000;
const units = { minute: minuteMs, hour: 60 * minuteMs, day: 1_440 * minuteMs } as const;
const ratePattern = /^(?<count>[1-9]\d{0,3}) (?<unit>minute|hour|day)s?$/;
/** Five fields. `?` is not allowed, because croner replaces it with the current time. */
const cronPattern = /^[\dA-Za-z*,/#+-]+( [\dA-Za-z*,/#+-]+){4}$/;

const scheduleShape = z.strictObject({
  cron: z
    .string()
    .max(200)
    .regex(cronPattern, 'must be five fields: minute, hour, day of month, month, day of week')
    .optional()
    .meta({ description: 'Minute, hour, day of month, month, day of week.', example: '0 6 * * 1-5' }),
  rate: z
    .string()
    .regex(ratePattern, 'must be a number of minutes, hours or days, such as "15 minutes"')
    .optional()
    .meta({ description: 'A period, counted from when the schedule was set.', example: '15 minutes' }),
  at: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T09:00:00Z' })
    .optional()
    .meta({ description: 'Once, at this time.' }),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
    .default('UTC')
    .meta({ description: 'IANA time zone of `cron`; UTC by default.', example: 'Europe/Berlin' }),
  missed: z.enum(['skip', 'run_once']).default('skip').meta({
    description:
      'What becomes of runs that could not begin within 15 minutes of their time: none of them, or one for all. What is in time runs in any case.',
  }),
});

/** Exactly one of `cron`, `rate` and `at`. */
export const schedule = scheduleShape
  .superRefine((value, context) => {
    const given = (['cron', 'rate', 'at'] as const).filter((name) => value[name] !== undefined);
    if (given.length !== 1)
      context.addIssue({ code: 'custom', message: 'must have exactly one of cron, rate and at' });
    else if (value.cron !== undefined && cronPattern.test(value.cron) && !parseCron(value.cron))
      context.addIssue({
        code: 'custom',
        path: ['cron'],
        message: 'is not a cron expression of five fields',
      });
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof schedule>;

/** A schedule that is enabled. Times are ms since 1970. */
export interface ActiveSchedule {
  readonly schedule: Schedule;
  /** When it was set; the periods of `rate` are counted from here. */
  readonly since: number;
}

/** The first time after `after`; undefined when there is none. */
export function nextDue({ schedule: { cron, rate, at, timezone }, since }: ActiveSchedule, after: number) {
  if (cron !== undefined) return nextCronTime(cron, timezone, after);
  if (rate !== undefined) {
    const period = parseRate(rate);
    return since + Math.max(1, Math.floor((after - since) / period) + 1) * period;
  }
  const once = at === undefined ? Number.NaN : Date.parse(at);
  return once > after ? once : undefined;
}

/** The next times, at most `count`. */
export function nextRuns(active: ActiveSchedule, after: number, count: number): number[] {
  const times: number[] = [];
  for (let time = nextDue(active, after); time !== undefined && times.length < count; ) {
    times.push(time);
    time = nextDue(active, time);
  }
  return times;
}

/** A run that would begin later than this was missed. */
export const graceMs = 15 * 60_000;

interface ScheduleDecision {
  readonly runs: boolean;
  /** Ms since 1970; undefined when the schedule has no more times. */
  readonly next: number | undefined;
}

/**
 * Whether a schedule that is due, perhaps since long ago, runs now, and when it is due next. `due` is not
 * after `now`. The next time may also be in the past: call this again until it is not.
 */
export function decideDueRun(active: ActiveSchedule, due: number, now: number): ScheduleDecision {
  if (now - due <= graceMs) return { runs: true, next: nextDue(active, due) };
  // Times within the grace period have runs of their own, in addition to the one for all that were missed.
  const next = nextDue(active, Math.max(due, now - graceMs - 1));
  return { runs: active.schedule.missed === 'run_once', next };
}

function parseRate(rate: string): number {
  const { count, unit } = ratePattern.exec(rate)?.groups ?? {};
  if (unit !== 'minute' && unit !== 'hour' && unit !== 'day') throw new Error(`"${rate}" is not a rate.`);
  return Number(count) * units[unit];
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
