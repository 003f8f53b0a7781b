// The size of a JSON value in bytes of text, which is what DynamoDB, SQS and the limits count.
import { jsonDepthMax } from './depth.ts';

/** Strings whose JSON is longer than the text with quotation marks, because of escapes or lone surrogates. */
const needsEscape = /["\\\p{Cc}\p{Cs}]/u;

/**
 * Bytes of the value's JSON in UTF-8. As soon as the size is above `max`, it stops and returns a number above
 * `max`. It also does so for a value nested deeper than `jsonDepthMax`, which no entry point accepts.
 */
export function jsonBytes(value: unknown, max = Number.POSITIVE_INFINITY, depth = 0): number {
  if (typeof value === 'string') return stringBytes(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : 4;
  if (typeof value === 'boolean') return value ? 4 : 5;
  // `undefined` in an array becomes null.
  if (typeof value !== 'object' || value === null) return 4;
  if (depth > jsonDepthMax) return Number.POSITIVE_INFINITY;
  if (Array.isArray(value)) return listBytes(value, max, depth);
  return objectBytes(value as Record<string, unknown>, max, depth);
}

/** The message for a value above the limit. */
export const tooLarge = (max: number): string => `must be at most ${max} bytes of JSON`;

function listBytes(list: readonly unknown[], max: number, depth: number): number {
  let bytes = list.length > 0 ? list.length + 1 : 2;
  for (const item of list) {
    bytes += jsonBytes(item, max - bytes, depth + 1);
    if (bytes > max) break;
  }
  return bytes;
}

function objectBytes(object: Readonly<Record<string, unknown>>, max: number, depth: number): number {
  let bytes = 1;
  // `Object.entries` would create an array for each member, and this runs for every output of a node.
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    bytes += stringBytes(key) + 2 + jsonBytes(value, max - bytes, depth + 1);
    if (bytes > max) break;
  }
  return bytes === 1 ? 2 : bytes;
}

const stringBytes = (text: string) =>
  needsEscape.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
