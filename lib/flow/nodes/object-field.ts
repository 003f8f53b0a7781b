// A field whose value is an object once its templates are evaluated.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { json } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import { expressionText, isOneExpression } from './expression-field.ts';

export const objectField = /* @__PURE__ */ lazy(() =>
  narrowed(
    json(),
    (value) => isObject(value) || isOneExpression(value),
    'expected an object, or one expression that gives an object',
    { anyOf: [{ type: 'object' }, expressionText] },
  ),
);

/** Throws a `NodeError` with that code. */
export function requireObject(field: string, value: Json, code: string): JsonObject {
  if (isObject(value)) return value;
  const got = Array.isArray(value) ? 'an array' : value === null ? 'nothing' : `a ${typeof value}`;
  throw new NodeError(code, `${field}: expected an object, got ${got}.`);
}
