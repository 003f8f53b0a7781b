// Converts between time and the wall-clock time of a time zone. A wall-clock time is a number of ms since
// 1970, as if the zone were UTC.
const hourMs = 3_600_000;
/** Offsets from UTC are at most 14 hours, and zones change their clocks less often than every other day. */
const probeMs = 24 * hourMs;

export interface WallClockTimes {
  /**
   * The first time at which the clock shows it. If the clock is set forward over it, the end of the gap. It
   * grows with the wall-clock time.
   */
  readonly first: number;
  readonly isSkipped: boolean;
  /** The second time, after the clock was set back. */
  readonly again: number | undefined;
}

export interface WallClock {
  readonly at: (time: number) => number;
  readonly findTimes: (wall: number) => WallClockTimes;
}

export function createWallClock(timezone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offsetAt = (time: number) =>
    parseOffset(format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return {
    at: (time) => time + offsetAt(time),
    findTimes: (wall) => {
      const offsets = new Set([offsetAt(wall - probeMs), offsetAt(wall + probeMs)]);
      const times = [...offsets]
        .map((offset) => wall - offset)
        .filter((time) => time + offsetAt(time) === wall);
      const [first, again] = times.sort((one, other) => one - other);
      const isSkipped = first === undefined;
      return { first: first ?? findClockChange(wall, offsetAt), isSkipped, again };
    },
  };
}

/** The moment of the change of the clock that is near this wall-clock time. */
function findClockChange(wall: number, offsetAt: (time: number) => number): number {
  let [before, after] = [wall - probeMs, wall + probeMs];
  const former = offsetAt(before);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === former) before = middle;
    else after = middle;
  }
  return after;
}

/** The offset in ms; `name` is `GMT`, `GMT+05:30` or similar. */
function parseOffset(name: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
  const size = Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1_000;
  return sign === '-' ? -size : size;
}
