// The local EventBridge Scheduler: calls the functions of the schedules at their rates.
import * as z from 'zod';
import { explain, type Functions } from './lambda.ts';

export type Schedule = {
  readonly functionName: string;
  readonly everyMillis: number;
  /** JSON, in which `<aws.scheduler.scheduled-time>` stands for the time. */
  readonly input: string;
};

export type Clock = {
  /** Calls the functions of all schedules now; resolves when they have returned. */
  readonly tick: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Closing does not wait longer for a call: the first tick after the next start does its work. */
const closeMillisMax = 2_000;
const minuteMillis = 60_000;
const units = { minute: minuteMillis, hour: 60 * minuteMillis, day: 1_440 * minuteMillis } as const;
const ratePattern = /^rate\((\d+) (minute|hour|day)s?\)$/;

/** Only rate expressions. A template with any other schedule is refused when it is read. */
const rate = z
  .string()
  .regex(ratePattern, 'only rate(…) expressions are supported')
  .transform((text) => {
    const [, count, unit] = ratePattern.exec(text) ?? [];
    return Number(count) * units[unit === 'minute' || unit === 'hour' ? unit : 'day'];
  });

export const scheduleResource = z.object({
  ScheduleExpression: rate,
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  FlexibleTimeWindow: z.object({ Mode: z.literal('OFF', 'flexible time windows are not supported') }),
  StartDate: z.undefined('start dates are not supported').optional(),
  EndDate: z.undefined('end dates are not supported').optional(),
  Target: z.object({ Arn: z.string(), Input: z.string().default('{}') }),
});

export function startClock(
  schedules: readonly Schedule[],
  functions: Functions,
  log: (line: string) => void,
): Clock {
  const call = async ({ functionName, input }: Schedule): Promise<void> => {
    const time = new Date().toISOString();
    try {
      await functions.invoke(
        functionName,
        JSON.parse(input.replaceAll('<aws.scheduler.scheduled-time>', time)),
      );
    } catch (error) {
      log(explain(error));
    }
  };
  const inFlight = new Set<Promise<void>>();
  const start = (schedule: Schedule): Promise<void> => {
    const calling = call(schedule).finally(() => inFlight.delete(calling));
    inFlight.add(calling);
    return calling;
  };
  // The timers do not keep the process alive.
  const timers = schedules.map((each) => setInterval(() => void start(each), each.everyMillis).unref());
  return {
    tick: async () => void (await Promise.all(schedules.map(start))),
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      const timeout = new Promise((end) => setTimeout(end, closeMillisMax).unref());
      await Promise.race([Promise.all(inFlight), timeout]);
    },
  };
}
