// When a cron expression is due in a time zone, by the rules of Vixie's cron. With fixed minutes and hours,
// it has a fixed number of runs a day: runs in the hour that the change to daylight saving time skips are one
// run right after the gap, and a time that occurs twice is due at its first occurrence only. With a `*` in
// minutes or hours, it is due whenever the clock shows a time that matches.
import { Cron } from 'croner';
import { createWallClock, type WallClock } from './wall-clock.ts';

/**
 * Undefined if the text is not a cron expression of five fields. It works on wall-clock times as if they were
 * UTC, so changes of the clock do not affect it.
 */
export function parseCron(expression: string): Cron | undefined {
  try {
    return new Cron(expression, { mode: '5-part', timezone: 'UTC' });
  } catch {
    return undefined;
  }
}

const hasWildcard = (expression: string): boolean =>
  expression
    .split(' ')
    .slice(0, 2)
    .some((field) => field.includes('*'));

/** The first time after `after`, in ms since 1970. */
export function nextCronTime(expression: string, timezone: string, after: number): number | undefined {
  const clock = createWallClock(timezone);
  const isFixed = !hasWildcard(expression);
  let found: number | undefined;
  for (const wall of wallTimes(expression, searchStart(clock, after))) {
    const { first, isSkipped, again } = clock.findTimes(wall);
    // When the clock is set back, a later wall-clock time may be an earlier moment.
    if (found !== undefined && found <= first) break;
    const due = isFixed ? [first] : isSkipped ? [] : [first, again];
    for (const time of due)
      if (time !== undefined && time > after && time < (found ?? Number.POSITIVE_INFINITY)) found = time;
  }
  return found;
}

/** The wall-clock time now; if it will occur again, the first wall-clock time that is repeated. */
function searchStart(clock: WallClock, time: number): number {
  const wall = clock.at(time);
  const { first, again = first } = clock.findTimes(wall);
  return time === first ? wall - (again - first) : wall;
}

function* wallTimes(expression: string, start: number): Generator<number, void> {
  const cron = parseCron(expression);
  for (let wall = cron?.nextRun(new Date(start)); wall; wall = cron?.nextRun(wall)) yield wall.getTime();
}
