// Makes plain JSON of what an expression gave: fresh objects, no functions, no missing values, no marks of the library.
import type { Json } from '#lib/json/json.ts';
import { limits } from '../format/limits.ts';
import { checkedSize, isFunction, tooLarge } from './value-size.ts';

/** A missing value and a function are null; in an object they are left out. */
export function asJsonValue(value: unknown): Json {
  if (typeof value === 'string' && value.length > limits.textCharsMax) {
    throw tooLarge(`a text of at most ${limits.textCharsMax} characters`);
  }
  if (typeof value === 'object' && value !== null) checkedSize(value);
  return plain(value) ?? null;
}

function plain(value: unknown): Json | undefined {
  // Half of a surrogate pair, which cutting a text leaves, is no Unicode: stores and receivers refuse it.
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null);
  if (isFunction(value)) return undefined;
  return plainObject(value);
}

/** `defineProperty` semantics through `fromEntries`: a key named `__proto__` stays an ordinary key. */
function plainObject(value: object): Json {
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const clean = plain(item);
    if (clean !== undefined) entries.push([key.toWellFormed(), clean]);
  }
  return Object.fromEntries(entries);
}
