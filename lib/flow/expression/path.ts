// Bare paths such as `nodes.order.body.total`: the fast way for what most expressions are. Only own properties are ever read.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { tooLarge } from './value-size.ts';

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

/** The value at the path, undefined when there is none. Where it crosses a list it maps over it, as in the language. */
export function valueAt(scope: JsonObject, names: readonly string[]): Json | undefined {
  let value: Json | undefined = scope;
  for (let index = 0; index < names.length; index++) {
    if (isList(value)) return valueAcross(value, names.slice(index));
    value = ownValue(value, names[index] ?? '');
  }
  return value;
}

const ownValue = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Lists that are found are joined; what is alone at the end is no list, but a list that is the only value found stays one. */
function valueAcross(list: readonly Json[], names: readonly string[]): Json | undefined {
  let values = bounded(list);
  for (const [index, name] of names.entries()) {
    const found = values.flatMap((value) => {
      const one = isList(value) ? single(namedIn(value, name)) : ownValue(value, name);
      return one === undefined ? [] : [one];
    });
    const [only] = found;
    if (index === names.length - 1 && found.length === 1 && isList(only)) return only;
    values = bounded(found.flat());
  }
  return single(values);
}

/** In lists inside the list as well. */
function namedIn(list: readonly Json[], name: string): readonly Json[] {
  return bounded(
    list.flatMap((value) => {
      const found = isList(value) ? namedIn(value, name) : ownValue(value, name);
      return found === undefined ? [] : found;
    }),
  );
}

const single = (values: readonly Json[]): Json | undefined => (values.length > 1 ? values : values[0]);

function bounded(values: readonly Json[]): readonly Json[] {
  if (values.length > limits.sequenceItemsMax)
    throw tooLarge(`lists of at most ${limits.sequenceItemsMax} items`);
  return values;
}
