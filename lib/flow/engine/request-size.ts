// Limits the size of an outgoing request before it is serialised: a value may occur in it many times.
import type { Json } from '#lib/json/json.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { sizeProblem } from './value-size.ts';

/** Returns the value if it fits. `field` names it in the error. */
export function checkRequestSize<V extends Json>(field: string, value: V): V {
  const problem = sizeProblem(value, limits.requestBytes);
  if (problem === undefined) return value;
  throw new NodeError('value.too_large', `${field}: ${problem}.`);
}
