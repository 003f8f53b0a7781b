// Bare paths such as `nodes.order.body.total`, which most expressions are: they are read without JSONata.
// Only own properties are read.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { tooLarge } from './value-size.ts';

const segment = '[A-Za-z_][A-Za-z0-9_]*';
const barePath = new RegExp(`^${segment}(\\.${segment})*$`);
/** Keywords of JSONata, which are not names of properties. */
const words = new Set(['and', 'or', 'in', 'true', 'false', 'null']);

/** The names of a bare path; undefined if the source is more than that. */
export function parseBarePath(source: string): readonly string[] | undefined {
  if (!barePath.test(source)) return undefined;
  const names = source.split('.');
  return names.some((name) => words.has(name)) ? undefined : names;
}

/** The value at the path; undefined if there is none. A list is mapped over, as in JSONata. */
export function readPath(scope: JsonObject, names: readonly string[]): Json | undefined {
  let value: Json | undefined = scope;
  for (let index = 0; index < names.length; index++) {
    if (isList(value)) return readAcross(value, names.slice(index));
    value = readOwn(value, names[index] ?? '');
  }
  return value;
}

const readOwn = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/**
 * Lists in the result are flattened. A single value is returned without a list, but a list that is the only
 * value found stays a list.
 */
function readAcross(list: readonly Json[], names: readonly string[]): Json | undefined {
  let values = bounded(list);
  for (const [index, name] of names.entries()) {
    const found = values.flatMap((value) => {
      const one = isList(value) ? single(readInList(value, name)) : readOwn(value, name);
      return one === undefined ? [] : [one];
    });
    const [only] = found;
    if (index === names.length - 1 && found.length === 1 && isList(only)) return only;
    values = bounded(found.flat());
  }
  return single(values);
}

/** Also reads lists inside the list. */
function readInList(list: readonly Json[], name: string): readonly Json[] {
  return bounded(
    list.flatMap((value) => {
      const found = isList(value) ? readInList(value, name) : readOwn(value, name);
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
