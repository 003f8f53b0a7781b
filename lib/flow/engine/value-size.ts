// Checks the size and depth of a value. A value that is too deep is reported with its path.

import { faultIn } from '#lib/json/guard.ts';
import type { Json } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { preview } from './log-preview.ts';

/** Describes the limit that the value exceeds; undefined if it fits. */
export function sizeProblem(value: Json, bytesMax: number, bytes = jsonBytes(value, bytesMax)) {
  if (bytes <= bytesMax) return undefined;
  const fault = faultIn(value);
  if (!fault) return `expected at most ${bytesMax} bytes of JSON`;
  return `${fault.detail}, which ${preview(pointerTo(fault.path), 120)} is`;
}
