// When a cron expression is due in a time zone, by the rule of Vixie's cron. With fixed minutes and hours it means so many runs a day: those at
// times that clocks leave out come right after the gap, as one, and of a time that comes twice the first counts. With a `*` in one of the two
// it means a rhythm, and is due whenever clocks show a time that fits.
import { Cron } from 'croner';
import { type WallClock, wallClockOf } from './wall-clock.ts';

/** Undefined for what is no cron expression of five fields. It is asked for what clocks show, as if they were never changed. */
export function cronOf(expression: string): Cron | undefined {
  try {
    return new Cron(expression, { mode: '5-part', timezone: 'UTC' });
  } catch {
    return undefined;
  }
}

const hasRhythm = (expression: string): boolean =>
  expression
    .split(' ')
    .slice(0, 2)
    .some((field) => field.includes('*'));

/** The first time after `after`, in ms since 1970. */
export function nextCronTime(expression: string, timezone: string, after: number): number | undefined {
  const clock = wallClockOf(timezone);
  const isFixed = !hasRhythm(expression);
  let found: number | undefined;
  for (const wall of wallTimes(expression, startOf(clock, after))) {
    const { first, isSkipped, again } = clock.showing(wall);
    // Where clocks are set back, a later showing may be the earlier time.
    if (found !== undefined && found <= first) break;
    const due = isFixed ? [first] : isSkipped ? [] : [first, again];
    for (const time of due)
      if (time !== undefined && time > after && time < (found ?? Number.POSITIVE_INFINITY)) found = time;
  }
  return found;
}

/** What clocks show now; where they will show it again, what they show first of all again. */
function startOf(clock: WallClock, time: number): number {
  const wall = clock.at(time);
  const { first, again = first } = clock.showing(wall);
  return time === first ? wall - (again - first) : wall;
}

function* wallTimes(expression: string, start: number): Generator<number, void> {
  const cron = cronOf(expression);
  for (let wall = cron?.nextRun(new Date(start)); wall; wall = cron?.nextRun(wall)) yield wall.getTime();
}
