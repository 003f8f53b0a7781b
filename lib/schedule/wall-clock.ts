// Between what clocks of a time zone show and what time it is. What they show is written as ms since 1970, as if the zone were UTC.
const hourMs = 3_600_000;
/** Zones are at most 14 hours off UTC, and change their clocks more rarely than every other day. */
const probeMs = 24 * hourMs;

export interface Showing {
  /** When clocks show it first; where they are set forward over it, when they go on behind it. Of a later showing it is no earlier. */
  readonly first: number;
  readonly isSkipped: boolean;
  /** When they show it once more, having been set back. */
  readonly again: number | undefined;
}

export interface WallClock {
  readonly at: (time: number) => number;
  readonly showing: (wall: number) => Showing;
}

export function wallClockOf(timezone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offsetAt = (time: number) =>
    offsetIn(format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return {
    at: (time) => time + offsetAt(time),
    showing: (wall) => {
      const offsets = new Set([offsetAt(wall - probeMs), offsetAt(wall + probeMs)]);
      const times = [...offsets]
        .map((offset) => wall - offset)
        .filter((time) => time + offsetAt(time) === wall);
      const [first, again] = times.sort((one, other) => one - other);
      const isSkipped = first === undefined;
      return { first: first ?? changeNear(wall, offsetAt), isSkipped, again };
    },
  };
}

/** The moment of a change that is known to be near. */
function changeNear(wall: number, offsetAt: (time: number) => number): number {
  let [before, after] = [wall - probeMs, wall + probeMs];
  const former = offsetAt(before);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === former) before = middle;
    else after = middle;
  }
  return after;
}

/** Of `GMT`, `GMT+05:30` and the like, in ms. */
function offsetIn(name: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
  const size = Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1_000;
  return sign === '-' ? -size : size;
}
