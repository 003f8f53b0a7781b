// JSON values, as types and as zod schemas.
import * as z from 'zod';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * Any JSON value from a parser. It is checked in one loop, because `z.json()` applies a schema to each
 * member, which takes seconds for a request with a million members. A member named `__proto__` is removed, as
 * in the records of zod.
 */
export const json = jsonSchema<Json>('JSON', () => true);

export const jsonObject = jsonSchema<JsonObject>('record', isPlainObject).meta({
  type: 'object',
  additionalProperties: {},
});

function jsonSchema<T extends Json>(expected: string, isKind: (value: unknown) => boolean): z.ZodType<T, T> {
  const schema = z.unknown().check((payload) => {
    const { value } = payload;
    const content = isKind(value) ? classify(value) : 'foreign';
    if (content === 'hostile') payload.value = JSON.parse(JSON.stringify(value), withoutPrototypes);
    if (content === 'foreign') payload.issues.push({ code: 'invalid_type', expected, input: value });
  });
  // The check refuses every value that is not of type `T`.
  return schema as unknown as z.ZodType<T, T>;
}

/** Whether the value is JSON, and whether it has a member named `__proto__`. */
function classify(whole: unknown): 'plain' | 'hostile' | 'foreign' {
  const open = [whole];
  let isHostile = false;
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (isPlainObject(value)) {
      for (const key of Object.keys(value)) {
        open.push(value[key]);
        isHostile ||= key === '__proto__';
      }
    } else if (!isScalar(value)) return 'foreign';
  }
  return isHostile ? 'hostile' : 'plain';
}

const isScalar = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A reviver for `JSON.parse`. */
const withoutPrototypes = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value);
