// The arguments that a tool of the flow takes, from its `parameters` (JSON Schema of an object).
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';

/** Allows only declared arguments, if it is known which ones are declared. */
export const closeParameters = (parameters: JsonObject): JsonObject =>
  declaredNames(parameters) && !('additionalProperties' in parameters)
    ? { additionalProperties: false, ...parameters }
    : parameters;

/**
 * Undefined if there may be others. `additionalProperties` applies only to the `properties` beside it (JSON
 * Schema 2020-12, core 10.3.2.3).
 */
export function declaredNames(parameters: JsonObject): readonly string[] | undefined {
  const { properties = {}, additionalProperties = false } = parameters;
  if (additionalProperties !== false || !isObject(properties)) return undefined;
  const names = new Set(Object.keys(properties));
  return hasOthers(parameters, names) ? undefined : [...names];
}

/** Keywords that may allow names that are not in `properties`. */
const elsewhere = ['$ref', 'propertyNames', 'const', 'enum'];

/** Whether the schema allows, or may allow, names other than these. */
function hasOthers(schema: Json, names: ReadonlySet<string>): boolean {
  if (!isObject(schema)) return false;
  const { properties, required, additionalProperties = false } = schema;
  return (
    elsewhere.some((keyword) => keyword in schema) ||
    additionalProperties !== false ||
    (isObject(properties) && Object.keys(properties).some((name) => !names.has(name))) ||
    toList(required).some((name) => typeof name === 'string' && !names.has(name)) ||
    alternatives.some((keyword) => toList(schema[keyword]).some((one) => hasOthers(one, names)))
  );
}

const alternatives = ['allOf', 'anyOf', 'oneOf'] as const;

const toList = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);
