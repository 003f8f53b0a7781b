// Integers that a number of JavaScript cannot hold, such as the ids of some services. They are kept as text: to
// round them would silently name something else.

import type { Json } from './json.ts';

export interface Parsed {
  readonly value: Json;
  /** The number of numbers that were kept as text. */
  readonly kept: number;
}

/** `JSON.parse` of a text, in which integers stay exact, and so do numbers beyond 1.8e308. Throws as it does. */
export const parseExactly = (text: string): Parsed =>
  hasLongInteger(text) || hasLongExponent(text)
    ? parseSources(text, isHeld)
    : { value: JSON.parse(text), kept: 0 };

/** The same, but numbers beyond 1.8e308 become infinite, which the checks of bodies refuse. */
export const parseIntegersExactly = (text: string): Parsed =>
  hasLongInteger(text) ? parseSources(text, isHeldOrInfinite) : { value: JSON.parse(text), kept: 0 };

/**
 * Whether a text may have an integer that a number would round: from 2^53, which has 16 digits. Few texts have such
 * long numbers, and reading the source of each number takes several times as long. Digits after a point do not count.
 */
export const hasLongInteger = (text: string): boolean => /(?<![\d.])\d{16}/.test(text);

const hasLongExponent = (text: string): boolean =>
  /\d[eE]\+?\d{3}/.test(text) && /(?:^|[\s:,[])-?\d[\d.]*[eE]\+?\d{3}/.test(text);

/** For the log. */
export const describeKept = (count: number): string =>
  `${count} ${count === 1 ? 'integer' : 'integers'} kept as text, because a number would be rounded.`;

function parseSources(text: string, isKeptAsNumber: typeof isHeld): Parsed {
  let kept = 0;
  const value: Json = JSON.parse(text, (_key, member: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    if (typeof member !== 'number' || source === undefined || isKeptAsNumber(member, source)) return member;
    kept++;
    return source;
  });
  return { value, kept };
}

/** Whether the number is the integer that `source` writes, or near the fraction that it writes. */
function isHeld(value: number, source: string): boolean {
  if (Number.isSafeInteger(value)) return true;
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(source) || BigInt(source) === BigInt(value);
}

const isHeldOrInfinite = (value: number, source: string): boolean =>
  !Number.isFinite(value) || isHeld(value, source);
