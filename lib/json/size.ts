// How many bytes a JSON value has as text, which is what tables, queues and limits count.
import { jsonDepthMax } from './depth.ts';

/** Strings whose JSON is longer than quotes around them: escapes and lone surrogates. */
const needsEscape = /["\\\p{Cc}\p{Cs}]/u;

/**
 * UTF-8 bytes of the value's JSON. Stops counting, and answers a number above `max`, as soon as that is
 * clear; so does a value nested deeper than `jsonDepthMax`, which nothing of ours produces and no door lets
 * in.
 */
export function jsonBytes(value: unknown, max = Number.POSITIVE_INFINITY, depth = 0): number {
  if (typeof value === 'string') return stringBytes(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : 4;
  if (typeof value === 'boolean') return value ? 4 : 5;
  // `undefined` in a list becomes null.
  if (typeof value !== 'object' || value === null) return 4;
  if (depth > jsonDepthMax) return Number.POSITIVE_INFINITY;
  if (Array.isArray(value)) return listBytes(value, max, depth);
  return objectBytes(value as Record<string, unknown>, max, depth);
}

/** What is said of a value that has more. */
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
  // Not by `Object.entries`, which makes a list of lists of each object: the engine counts every output.
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
