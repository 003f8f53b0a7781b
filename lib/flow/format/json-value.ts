// Tests for the kinds of JSON values.
import type { Json, JsonObject } from '#lib/json/json.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Omits fields that are undefined. */
export const definedOnly = (object: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );

/**
 * Keys that could reach a prototype. Flows with such keys are refused, and the engine never copies them into
 * its objects.
 */
export const isHostileKey = (key: string) => hostileKeys.includes(key);
export const hostileKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Equal text for values that differ only in the order of their keys. */
const sortedText = (value: unknown): string => JSON.stringify(value, sortedKeys);

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !isHostileKey(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Equal for equal JSON values, whatever the order of their keys, and different for values of different types. */
export function identify(value: unknown): unknown {
  if (typeof value === 'string') return `text ${value}`;
  return typeof value === 'object' && value !== null ? sortedText(value) : value;
}

/** `Array.isArray` that also narrows readonly arrays. */
export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);
