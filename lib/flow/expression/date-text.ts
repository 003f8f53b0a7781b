// Reads times from text: RFC 3339 and the other forms of ISO 8601 that JSONata takes, and text in the form of a
// picture. JSONata reads pictures with a regular expression that takes exponential time for some of them.
import { callError } from './own-function.ts';
import { fromClock, utc, type Zone } from './time-zone.ts';

const isoText =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?$/;

/** In ms since 1970; undefined for a text of another form, and for a day or a time that no calendar has. */
export function parseIso(text: string, zone: Zone): number | undefined {
  const found = isoText.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, fraction, isUtc, sign, offsetHours, offsetMinutes] = found;
  const shown = toClock({
    ...{ Y: Number(year), M: toNumber(month), D: toNumber(day) },
    ...{ H: toNumber(hour), m: toNumber(minute), s: toNumber(second), f: toMs(fraction) },
  });
  if (shown === undefined) return undefined;
  if (isUtc !== undefined) return shown;
  if (sign === undefined) return fromClock(shown, zone);
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return sign === '-' ? shown + offset : shown - offset;
}

const toNumber = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
const toMs = (digits: string | undefined) =>
  digits === undefined ? undefined : Number(`${digits}00`.slice(0, 3));

/** What a text says, by the letters of a picture. `Z` is in ms. */
type Fields = Partial<
  Record<'Y' | 'M' | 'D' | 'd' | 'F' | 'H' | 'h' | 'P' | 'm' | 's' | 'f' | 'Z', number | undefined>
>;

/** The time on the clock. Undefined if no calendar has it. */
function toClock({
  Y = 1970,
  M = 1,
  D = 1,
  d,
  H,
  h,
  P = 0,
  m = 0,
  s = 0,
  f = 0,
}: Fields): number | undefined {
  const hour = H ?? (h === undefined ? 0 : (h % 12) + 12 * P);
  const isClock = hour < 24 && m < 60 && s < 60 && (h === undefined || (h >= 1 && h <= 12));
  const isDate = d === undefined ? M >= 1 && M <= 12 && D >= 1 && D <= daysOf(Y, M) : d >= 1 && d <= 366;
  if (!isClock || !isDate) return undefined;
  return d === undefined ? utc(Y, M, D, hour, m, s, f) : utc(Y, 1, d, hour, m, s, f);
}

export const daysOf = (year: number, month: number): number => new Date(utc(year, month + 1, 0)).getUTCDate();

interface Reading {
  readonly name: string;
  readonly zone: Zone;
  /** What the text does not say is taken from this time, as far as it is larger than what the text says. */
  readonly now: number;
}

/** In ms since 1970; undefined for a text that has another form than the picture. */
export function parsePicture(
  text: string,
  picture: string,
  { name, zone, now }: Reading,
): number | undefined {
  const parts = readPicture(name, picture);
  const fields: Fields = {};
  let rest = text;
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    const used = part.read(rest, fields, next?.isNumber === true);
    if (used === undefined) return undefined;
    rest = rest.slice(used);
  }
  if (rest !== '' || Object.keys(fields).length === 0) return undefined;
  const shown = toClock(complete(fields, new Date(now + zone(now))));
  if (shown === undefined) return undefined;
  return fields.Z === undefined ? fromClock(shown, zone) : shown - fields.Z;
}

function complete(fields: Fields, today: Date): Fields {
  const { Y = today.getUTCFullYear(), M, D, d } = fields;
  if (d !== undefined || fields.Y !== undefined) return { ...fields, Y };
  if (M !== undefined) return { ...fields, Y };
  return { ...fields, Y, M: today.getUTCMonth() + 1, D: D ?? today.getUTCDate() };
}

interface Part {
  /** Whether digits follow without a sign between. */
  readonly isNumber: boolean;
  /** Sets its field, and returns how many characters it has used; undefined if the text does not fit. */
  readonly read: (text: string, fields: Fields, isBeforeNumber: boolean) => number | undefined;
}

function readPicture(name: string, picture: string): readonly Part[] {
  return [...picture.matchAll(/\[\[|\]\]|\[([^\]]*)\]|[^[\]]+|[[\]]/g)].map(([text, marker]) => {
    if (marker !== undefined) return toMarker(name, marker.replace(/\s/g, ''));
    if (text === '[' || text === ']') throw callError(name, `expected "]" after "[" in the picture`);
    return toLiteral(text === '[[' || text === ']]' ? text.slice(1) : text);
  });
}

const toLiteral = (literal: string): Part => ({
  isNumber: false,
  read: (text) =>
    text.slice(0, literal.length).toLowerCase() === literal.toLowerCase() ? literal.length : undefined,
});

function toMarker(name: string, marker: string): Part {
  const [, letter = '', form = '', width] = /^(.?)([^,]*)(?:,.*?(\d{1,2}|\*)?)?$/.exec(marker) ?? [];
  if (letter === 'Z' || letter === 'z') return { isNumber: false, read: readOffset };
  if (letter === 'P') return toNames('P', ['am', 'pm'], 0, 2);
  if (/^n/i.test(form) && letter === 'M') return toNames('M', monthNames, 1, toWidth(width));
  if (/^n/i.test(form) && letter === 'F') return toNames('F', dayNames, 1, toWidth(width));
  if (!isNumbered(letter) || !/^[0-9#]*o?$/.test(form))
    throw callError(
      name,
      `cannot read [${marker}]: expected Y, M, D, d, H, h, m, s, f as numbers, M, F as names, P or Z`,
    );
  return toDigits(letter, form, toWidth(width));
}

const toWidth = (width: string | undefined) =>
  width === undefined || width === '*' ? undefined : Number(width);

const isNumbered = (letter: string): letter is 'Y' | 'M' | 'D' | 'd' | 'H' | 'h' | 'm' | 's' | 'f' =>
  /^[YMDdHhmsf]$/.test(letter);

function toDigits(
  letter: 'Y' | 'M' | 'D' | 'd' | 'H' | 'h' | 'm' | 's' | 'f',
  form: string,
  width = 0,
): Part {
  const fixed = Math.max(width, form.replace(/\D/g, '').length);
  const usual = letter === 'Y' ? 4 : letter === 'f' ? 3 : 2;
  return {
    isNumber: true,
    read: (text, fields, isBeforeNumber) => {
      const max = isBeforeNumber ? fixed || usual : 9;
      const [digits = ''] = /^\d*/.exec(text.slice(0, max)) ?? [];
      if (digits === '') return undefined;
      fields[letter] = letter === 'f' ? toMs(digits) : Number(digits);
      if (letter === 'Y' && fixed === 2 && digits.length === 2) fields.Y = toFullYear(Number(digits));
      const [ordinal = ''] = form.endsWith('o')
        ? (/^(?:st|nd|rd|th)/i.exec(text.slice(digits.length)) ?? [])
        : [];
      return digits.length + ordinal.length;
    },
  };
}

/** A year of two digits, as `[Y01]` and `[Y,2-2]` write it, is one of 1970 to 2069. */
const toFullYear = (year: number): number => year + (year < 70 ? 2000 : 1900);

function toNames(letter: 'M' | 'F' | 'P', names: readonly string[], from: number, width?: number): Part {
  return {
    isNumber: false,
    read: (text, fields) => {
      const given = text.toLowerCase();
      const index = names.findIndex((one) => given.startsWith(one.slice(0, width).toLowerCase()));
      if (index === -1) return undefined;
      fields[letter] = index + from;
      return (names[index] ?? '').slice(0, width).length;
    },
  };
}

function readOffset(text: string, fields: Fields): number | undefined {
  const [found, sign, hours, minutes = '0'] = /^(?:GMT)?(?:[Zz]|([+-])(\d\d?)(?::?(\d\d))?)/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes)) * 60_000;
  fields.Z = sign === '-' ? -offset : offset;
  return found.length;
}

const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
