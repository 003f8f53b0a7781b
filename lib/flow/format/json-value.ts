// Questions about JSON values: what kind they are. Nothing here changes a value.
import type { Json, JsonObject } from '#lib/json/json.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that have a value. */
export const definedOnly = (object: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );

/** Keys that could reach a prototype. They are refused in flows and never copied into objects we build. */
export const isHostileKey = (key: string) => hostileKeys.includes(key);
export const hostileKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** JSON that is the same for values that differ in the order of their keys alone. */
export const sortedText = (value: unknown): string => JSON.stringify(value, sortedKeys);

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !isHostileKey(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `Array.isArray` that also narrows readonly arrays. */
export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);
