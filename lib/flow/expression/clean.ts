// Converts the result of an expression to plain JSON: new objects without functions, missing values and
// properties of the library.
import type { Json } from '#lib/json/json.ts';
import { limits } from '../format/limits.ts';
import { checkedSize, isFunction, tooLarge } from './value-size.ts';

/** A missing value or a function becomes null; in an object it is omitted. */
export function toJsonValue(value: unknown): Json {
  if (typeof value === 'string' && value.length > limits.textCharsMax) {
    throw tooLarge(`a text of at most ${limits.textCharsMax} characters`);
  }
  if (typeof value === 'object' && value !== null) checkedSize(value);
  return toJson(value) ?? null;
}

function toJson(value: unknown): Json | undefined {
  // An expression can cut a text in the middle of a surrogate pair. Half a pair is not valid Unicode, and
  // DynamoDB and many receivers reject it.
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return value.map((item) => toJson(item) ?? null);
  if (isFunction(value)) return undefined;
  return toJsonObject(value);
}

/** `fromEntries` defines properties, so that a key named `__proto__` stays an ordinary key. */
function toJsonObject(value: object): Json {
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const clean = toJson(item);
    if (clean !== undefined) entries.push([key.toWellFormed(), clean]);
  }
  return Object.fromEntries(entries);
}
