// Which arguments a tool of the flow takes, as its `parameters` (JSON Schema of an object) tell.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';

/** Only what is declared may be filled in, where it can be told what that is. */
export const closed = (parameters: JsonObject): JsonObject =>
  declaredNames(parameters) && !('additionalProperties' in parameters)
    ? { additionalProperties: false, ...parameters }
    : parameters;

/** Undefined where there may be others. `additionalProperties` knows only the `properties` beside it (JSON Schema 2020-12, core 10.3.2.3). */
export function declaredNames(parameters: JsonObject): readonly string[] | undefined {
  const { properties = {}, additionalProperties = false } = parameters;
  if (additionalProperties !== false || !isObject(properties)) return undefined;
  const names = new Set(Object.keys(properties));
  return hasOthers(parameters, names) ? undefined : [...names];
}

/** They may allow names that no `properties` here has. */
const elsewhere = ['$ref', 'propertyNames', 'const', 'enum'];

/** Whether it has a name that is not among these, or may have one. */
function hasOthers(schema: Json, names: ReadonlySet<string>): boolean {
  if (!isObject(schema)) return false;
  const { properties, required, additionalProperties = false } = schema;
  return (
    elsewhere.some((keyword) => keyword in schema) ||
    additionalProperties !== false ||
    (isObject(properties) && Object.keys(properties).some((name) => !names.has(name))) ||
    listOf(required).some((name) => typeof name === 'string' && !names.has(name)) ||
    alternatives.some((keyword) => listOf(schema[keyword]).some((one) => hasOthers(one, names)))
  );
}

const alternatives = ['allOf', 'anyOf', 'oneOf'] as const;

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);
