// Bare paths such as `nodes.order.body.total`: the fast way for what most expressions are. Only own properties are ever read.
import type { Json, JsonObject } from '#lib/json.ts';
import { isList, isObject } from '../json-value.ts';

const segment = '[A-Za-z_][A-Za-z0-9_]*';
const barePath = new RegExp(`^${segment}(\\.${segment})*$`);
/** Words of the language, which would not be read as names there. */
const words = new Set(['and', 'or', 'in', 'true', 'false', 'null']);

/** The names of a bare path, or undefined when the source is more than that. */
export function barePathOf(source: string): readonly string[] | undefined {
  if (!barePath.test(source)) return undefined;
  const names = source.split('.');
  return names.some((name) => words.has(name)) ? undefined : names;
}

/** The path crosses a list, over which the language maps; the fast way does not. */
export const crossesList: unique symbol = Symbol('crosses list');

/** The value at the path, undefined when there is none. */
export function valueAt(scope: JsonObject, names: readonly string[]): Json | undefined | typeof crossesList {
  let value: Json | undefined = scope;
  for (const name of names) {
    if (isList(value)) return crossesList;
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
