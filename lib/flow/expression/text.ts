// How a value reads inside text.
import type { Json } from '#lib/json/json.ts';

/** Nothing for a missing value, the text itself for text, JSON for lists and objects. */
export function asText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
