// Time zones: how far the clocks of a zone are ahead of UTC, and times on the clocks of a zone.
import { callError } from './own-function.ts';

const minuteMs = 60_000;

/** An offset such as `+0100` or `-03:30`, `Z`, or a name of the IANA database such as `Europe/Berlin`. */
export type Zone = (ms: number) => number;

/** Returns ms that the clocks of the zone are ahead of UTC at a time. Throws for what is no zone. */
export function findZone(name: string, zone: unknown): Zone {
  if (zone === undefined || zone === 'Z' || zone === 'UTC') return () => 0;
  if (typeof zone !== 'string') throw notZone(name);
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return ofDatabase(name, zone);
  const offset = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  if (Number(hours) > 14 || Number(minutes) > 59) throw notZone(name);
  return () => (sign === '-' ? -offset : offset);
}

function ofDatabase(name: string, zone: string): Zone {
  const clock = findClock(name, zone);
  return (ms) => {
    const parts = clock.formatToParts(ms);
    const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const year = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
      ? 1 - read('year')
      : read('year');
    const shown = utc(year, read('month'), read('day'), read('hour'), read('minute'), read('second'));
    return shown - Math.floor(ms / 1000) * 1000;
  };
}

/** Creating one takes about as long as a hundred uses. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const clocksMax = 50;

function findClock(name: string, zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const fresh = createClock(name, zone);
  const oldest = clocks.size >= clocksMax ? clocks.keys().next().value : undefined;
  if (oldest !== undefined) clocks.delete(oldest);
  clocks.set(zone, fresh);
  return fresh;
}

function createClock(name: string, timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', era: 'short', calendar: 'gregory', numberingSystem: 'latn' },
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    });
  } catch (cause) {
    throw notZone(name, cause);
  }
}

const notZone = (name: string, cause?: unknown) =>
  callError(name, 'expected a time zone such as "Europe/Berlin", "+0100" or "Z"', cause);

/**
 * The time at which the clocks of the zone show what a clock in UTC shows at `shown`. Of two such times, when the
 * clocks go back, it is the earlier one; a time that clocks skip is as much later as they go forward. Other libraries
 * call this "compatible" (RFC 5545, section 3.3.5).
 */
export function fromClock(shown: number, zone: Zone): number {
  const [before, after] = [shown - zone(shown - dayMs), shown - zone(shown + dayMs)];
  if (before === after || before + zone(before) === shown) return before;
  return after + zone(after) === shown ? after : before;
}

const dayMs = 86_400_000;

/** `Date.UTC` takes years from 0 to 99 as those of the 20th century. */
export function utc(
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
  ms = 0,
): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, ms);
}
