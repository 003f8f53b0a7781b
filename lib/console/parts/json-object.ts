// Reads the JSON objects that people write into forms.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { tryParse } from '#lib/json/try-parse.ts';

/** Undefined for any other text. */
export function readJsonObject(text: string): JsonObject | undefined {
  const value = tryParse(text);
  return isObject(value) ? value : undefined;
}
