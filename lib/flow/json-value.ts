// Questions about JSON values: what kind, how big. Nothing here changes a value.
import type { Json, JsonObject } from '#lib/json.ts';
import { limits } from './limits.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that have a value. */
export const definedOnly = (object: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );

/** Keys that could reach a prototype. They are refused in flows and never copied into objects we build. */
export const isHostileKey = (key: string) =>
  key === '__proto__' || key === 'constructor' || key === 'prototype';

/** JSON that is the same for values that differ in the order of their keys alone. */
export const sortedText = (value: unknown): string => JSON.stringify(value, sortedKeys);

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !isHostileKey(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Strings whose JSON is longer than quotes around them: escapes and lone surrogates. */
const needsEscape = /["\\\p{Cc}\p{Cs}]/u;

/**
 * UTF-8 bytes of the value's JSON. Stops counting, and answers a number above `max`, as soon as that is clear; so does a value nested deeper
 * than `limits.valueDepth`, which nothing of ours produces.
 */
export function jsonBytes(value: Json, max = Number.POSITIVE_INFINITY, depth = 0): number {
  if (typeof value === 'string') return stringBytes(value);
  if (typeof value === 'number') return String(value).length;
  if (value === null) return 4;
  if (typeof value === 'boolean') return value ? 4 : 5;
  if (depth > limits.valueDepth) return Number.POSITIVE_INFINITY;
  return isList(value) ? listBytes(value, max, depth) : objectBytes(value, max, depth);
}

/** `Array.isArray` that also narrows readonly arrays. */
export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);

function listBytes(list: readonly Json[], max: number, depth: number): number {
  let bytes = list.length > 0 ? list.length + 1 : 2;
  for (const item of list) {
    bytes += jsonBytes(item, max - bytes, depth + 1);
    if (bytes > max) break;
  }
  return bytes;
}

function objectBytes(object: JsonObject, max: number, depth: number): number {
  let bytes = 1;
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
