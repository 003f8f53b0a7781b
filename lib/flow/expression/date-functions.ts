// Functions of times. A time is a text as of RFC 3339, or a number of ms since 1970. Without a time zone, the
// clock is that of UTC.
import { daysOf, parseIso, parsePicture } from './date-text.ts';
import { type Call, callError, type OwnFunctions } from './own-function.ts';
import { countWork } from './step-budget.ts';
import { findZone, fromClock, utc, type Zone } from './time-zone.ts';

/** `$fromMillis` of the library, with an offset as of `+hhmm`. */
export type FormatMillis = (ms: number, picture?: string, offset?: string) => string;

export const dateFunctions = (format: FormatMillis): OwnFunctions => ({
  now: {
    signature: '<s?s?:s>',
    parameters: 2,
    run: ([picture, zone], call) =>
      formatTime('now', call.occasion.time, { picture, zone }, { call, format }),
  },
  millis: { signature: '<:n>', parameters: 0, run: (_args, { occasion }) => occasion.time },
  fromMillis: {
    signature: '<n-s?s?:s>',
    parameters: 3,
    run: ([ms, picture, zone], call) => formatTime('fromMillis', ms, { picture, zone }, { call, format }),
  },
  toMillis: {
    signature: '<s-s?s?:n>',
    parameters: 3,
    run: ([text, picture, zone], call) => parseTime('toMillis', text, { picture, zone }, call),
  },
  dateFormat: {
    signature: '<(sn)-s?s?:s>',
    parameters: 3,
    run: ([time, picture, zone], call) => formatTime('dateFormat', time, { picture, zone }, { call, format }),
  },
  dateParse: {
    signature: '<s-ss?:s>',
    parameters: 3,
    run: ([text, picture, zone], call) => {
      const ms = parseTime('dateParse', text, { picture, zone }, call);
      if (ms === undefined && text !== undefined)
        throw callError('dateParse', 'expected a text in the form of the picture');
      return ms === undefined ? undefined : new Date(ms).toISOString();
    },
  },
  dateAdd: {
    signature: '<(sn)-nss?:(sn)>',
    parameters: 4,
    run: ([time, amount, unit, zone], call) => {
      if (time === undefined) return undefined;
      const clock = findZone('dateAdd', zone);
      const ms = addUnits(toTime('dateAdd', time, clock), amount, toUnit('dateAdd', unit), clock);
      return typeof time === 'number' ? ms : formatTime('dateAdd', ms, { zone }, { call, format });
    },
  },
  dateDiff: {
    signature: '<(sn)-(sn)s?s?:n>',
    parameters: 4,
    run: ([from, to, unit, zone]) => {
      if (from === undefined || to === undefined) return undefined;
      const clock = findZone('dateDiff', zone);
      const [begin, end] = [toTime('dateDiff', from, clock), toTime('dateDiff', to, clock)];
      return countUnits(begin, end, toUnit('dateDiff', unit ?? 'milliseconds'), clock);
    },
  },
});

interface Form {
  readonly picture?: unknown;
  readonly zone?: unknown;
}

function formatTime(
  name: string,
  time: unknown,
  { picture, zone }: Form,
  { call, format }: { readonly call: Call; readonly format: FormatMillis },
): string | undefined {
  if (time === undefined) return undefined;
  const clock = findZone(name, zone);
  const ms = toTime(name, time, clock);
  const shown = typeof picture === 'string' ? checkPicture(name, picture, call) : isoPicture;
  const ahead = clock(ms);
  // The library adds the minutes of negative offsets with the wrong sign, so only the marker is left to it.
  const markers = shown.replace(/\[\[|\[[Zz][^\]]*\]/g, (marker) =>
    marker === '[[' ? marker : formatOffset(marker, ahead, format).replace(/[[\]]/g, '$&$&'),
  );
  return format(ms + ahead, markers);
}

const isoPicture = '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]';

function formatOffset(marker: string, aheadMs: number, format: FormatMillis): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const offset = `${Math.floor(minutes / 60)}${String(minutes % 60).padStart(2, '0')}`;
  const text = format(0, marker, offset);
  return aheadMs < 0 ? text.replace('+', '-') : text;
}

/** Widths of the library are allocated as they are written. */
function checkPicture(name: string, picture: string, { budget }: Call): string {
  if (picture.length > pictureCharsMax)
    throw callError(name, `expected a picture of at most ${pictureCharsMax} characters`);
  countWork(budget, picture.length * workPerChar);
  for (const [, marker = ''] of picture.replaceAll('[[', '').matchAll(/\[([^\]]*)\]/g)) {
    const width = marker.replace(/\s/g, '').split(',').slice(1).at(-1);
    if (width !== undefined && !/^(\d{1,2}|\*)(-(\d{1,2}|\*))?$/.test(width))
      throw callError(name, `expected a width such as "2" or "2-4" in [${marker}]`);
  }
  return picture;
}

const pictureCharsMax = 200;
/** A character of a picture takes about as long as a hundred of a text. */
const workPerChar = 100;

function parseTime(name: string, text: unknown, { picture, zone }: Form, call: Call): number | undefined {
  if (typeof text !== 'string') return undefined;
  const clock = findZone(name, zone);
  if (typeof picture !== 'string') return toTime(name, text, clock);
  checkPicture(name, picture, call);
  return parsePicture(text.slice(0, textCharsMax), picture, { name, zone: clock, now: call.occasion.time });
}

/** No time is longer. */
const textCharsMax = 500;

/** Throws for what is no time. */
function toTime(name: string, time: unknown, zone: Zone): number {
  const ms = typeof time === 'string' ? parseIso(time, zone) : time;
  if (typeof ms === 'number' && Math.abs(ms) <= msMax) return Math.trunc(ms);
  throw callError(name, 'expected a time such as "2027-01-31T09:00:00Z", or ms since 1970');
}

/** Of a `Date`, less the offset of a zone. */
const msMax = 8.64e15 - 86_400_000;

const unitMs = { millisecond: 1, second: 1_000, minute: 60_000, hour: 3_600_000 } as const;
const calendarUnits = ['day', 'week', 'month', 'year'] as const;
type Unit = keyof typeof unitMs | (typeof calendarUnits)[number];
const isExact = (unit: string): unit is keyof typeof unitMs => Object.hasOwn(unitMs, unit);

function toUnit(name: string, given: unknown): Unit {
  const unit = String(given).replace(/s$/, '');
  if (isExact(unit)) return unit;
  const found = calendarUnits.find((one) => one === unit);
  if (found) return found;
  const known = [...Object.keys(unitMs), ...calendarUnits].map((one) => `${one}s`).join(', ');
  throw callError(name, `expected one of the units ${known}`);
}

/** Days and longer units are those of the calendar: 9 o'clock stays 9 o'clock when the clocks change. */
function addUnits(ms: number, amount: unknown, unit: Unit, zone: Zone): number {
  if (typeof amount !== 'number' || !Number.isFinite(amount))
    throw callError('dateAdd', 'expected a number to add');
  if (isExact(unit)) return toTime('dateAdd', ms + amount * unitMs[unit], zone);
  if (!Number.isSafeInteger(amount)) throw callError('dateAdd', `expected a whole number of ${unit}s`);
  const shown = new Date(ms + zone(ms));
  const months = unit === 'year' ? 12 * amount : unit === 'month' ? amount : 0;
  const days = unit === 'week' ? 7 * amount : unit === 'day' ? amount : 0;
  return toTime('dateAdd', fromClock(addToCalendar(shown, months, days), zone), zone);
}

/** The last day of a month that is too short for the day. */
function addToCalendar(shown: Date, months: number, days: number): number {
  const sum = shown.getUTCFullYear() * 12 + shown.getUTCMonth() + months;
  const [year, month] = [Math.floor(sum / 12), (((sum % 12) + 12) % 12) + 1];
  const day = Math.min(shown.getUTCDate(), daysOf(year, month));
  return utc(year, month, day) + days * 86_400_000 + (shown.getTime() - midnight(shown));
}

const midnight = (date: Date) => utc(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());

/** A number with fractions up to hours, and the number of whole units from days on. */
function countUnits(from: number, to: number, unit: Unit, zone: Zone): number {
  if (isExact(unit)) return (to - from) / unitMs[unit];
  const [begin, end] = [new Date(from + zone(from)), new Date(to + zone(to))];
  if (unit === 'day' || unit === 'week')
    return toWhole((end.getTime() - begin.getTime()) / (unit === 'day' ? 1 : 7) / 86_400_000);
  const months =
    (end.getUTCFullYear() - begin.getUTCFullYear()) * 12 + end.getUTCMonth() - begin.getUTCMonth();
  const reached = addToCalendar(begin, months, 0);
  const isTooFar = from <= to ? reached > end.getTime() : reached < end.getTime();
  const whole = isTooFar ? months - (from <= to ? 1 : -1) : months;
  return toWhole(unit === 'year' ? whole / 12 : whole);
}

/** Without its fraction. Zero has no sign. */
const toWhole = (value: number) => Math.trunc(value) + 0;
