// Finds integers that a number may have rounded, such as the id of an order that was written without quotes.
import type { Json } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import type { Path } from './mistake.ts';
import { addWarning, isFullOfWarnings, type WarningList } from './warning-list.ts';

/**
 * In the values of a flow. They are parsed already, so that it also warns about one such as 10^20, which lost
 * nothing. Recursion is safe because the depth of flows is limited.
 */
export function warnOfRoundedNumbers(value: Json, warnings: WarningList, path: PropertyKey[] = []): void {
  if (isFullOfWarnings(warnings)) return;
  if (typeof value === 'number') {
    if (isBeyondExact(value)) warnOfRoundedNumber(String(value), [...path], warnings);
  } else if (isList(value)) for (const [index, item] of value.entries()) readMember(index, item);
  else if (isObject(value)) for (const key of Object.keys(value)) readMember(key, value[key] ?? null);

  function readMember(key: PropertyKey, member: Json): void {
    path.push(key);
    warnOfRoundedNumbers(member, warnings, path);
    path.pop();
  }
}

/** In an expression: `end` is where the number ends. */
export function findRoundedLiteral(value: unknown, source: string, end: unknown): string | undefined {
  if (typeof value !== 'number' || typeof end !== 'number' || !isBeyondExact(value)) return undefined;
  const [digits] = /(?<![\d.])\d{16,}$/.exec(source.slice(Math.max(0, end - digitsMax), end)) ?? [];
  return digits !== undefined && BigInt(digits) !== BigInt(Math.abs(value)) ? digits : undefined;
}

/** More digits than the largest number has. */
const digitsMax = 400;

const isBeyondExact = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

export function warnOfRoundedNumber(written: string, path: Path, warnings: WarningList): void {
  addWarning(
    warnings,
    { code: 'number_rounded', path, subject: written },
    () =>
      `numbers are exact up to ${Number.MAX_SAFE_INTEGER}, so ${written} may have lost its last digits: expected a text, in quotes, if every digit counts`,
  );
}
