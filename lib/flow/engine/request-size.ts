// Bounds what one call to the outside sends, before it is written out: a value may stand in many places of it.
import type { Json } from '#lib/json/json.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { sizeProblem } from './value-size.ts';

/** The value itself. `field` names it for the author of the flow. */
export function fitting<V extends Json>(field: string, value: V): V {
  const problem = sizeProblem(value, limits.requestBytes);
  if (problem === undefined) return value;
  throw new NodeError('value.too_large', `${field}: ${problem}.`);
}
