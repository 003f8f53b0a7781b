// Bounds what one call to the outside sends, before it is written out: a value may stand in many places of it.
import type { Json } from '#lib/json.ts';
import { jsonBytes } from '#lib/json-bytes.ts';
import { limits } from './limits.ts';
import { NodeError } from './node-error.ts';

/** The value itself. `field` names it for the author of the flow. */
export function fitting<V extends Json>(field: string, value: V): V {
  if (jsonBytes(value, limits.requestBytes) <= limits.requestBytes) return value;
  throw new NodeError('value.too_large', `${field}: expected at most ${limits.requestBytes} bytes of JSON.`);
}
