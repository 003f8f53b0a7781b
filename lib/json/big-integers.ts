// Integers that a number of JavaScript cannot hold, such as the ids of some services. They are kept as text: to
// round them would silently name something else.

import type { Json } from './json.ts';

interface Parsed {
  readonly value: Json;
  /** The number of integers that were kept as text. */
  readonly kept: number;
}

/** `JSON.parse` of a text, in which integers stay exact. Throws as it does. */
export function parseExactly(text: string): Parsed {
  // Few texts have such long numbers, and reading the source of each number takes several times as long.
  if (!longNumber.test(text)) return { value: JSON.parse(text), kept: 0 };
  let kept = 0;
  const value: Json = JSON.parse(text, (_key, member: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    if (typeof member !== 'number' || source === undefined || isExact(member, source)) return member;
    kept++;
    return source;
  });
  return { value, kept };
}

/** For the log. */
export const describeKept = (count: number): string =>
  `${count} ${count === 1 ? 'integer' : 'integers'} kept as text, because a number would be rounded.`;

/** From 2^53, which has 16 digits. */
const longNumber = /\d{16}/;

function isExact(value: number, source: string): boolean {
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return true;
  // Larger ones are infinite.
  return source.length < 310 && BigInt(source) === BigInt(value);
}
