// A field that is an object once its values are filled in. Shared by the types that have one.
import type { Json, JsonObject } from '#lib/json.ts';
import { wholeExpression } from '../expression/segments.ts';
import { isObject } from '../json-value.ts';
import { NodeError } from '../node-error.ts';
import type { Report } from './node-type.ts';

export function checkObject(field: string, value: Json | undefined, report: Report): void {
  if (value === undefined || isObject(value)) return;
  if (typeof value === 'string' && wholeExpression(value) !== undefined) return;
  report([field], 'expected an object, or one expression that gives an object');
}

/** Throws a `NodeError` of that code. */
export function objectOf(field: string, value: Json, code: string): JsonObject {
  if (isObject(value)) return value;
  const got = Array.isArray(value) ? 'an array' : value === null ? 'nothing' : `a ${typeof value}`;
  throw new NodeError(code, `${field}: expected an object, got ${got}.`);
}
