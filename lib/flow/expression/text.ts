// Converts a value to text for a template.
import type { Json } from '#lib/json/json.ts';

/** A missing value becomes empty text, text stays as it is, and lists and objects become JSON. */
export function asText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
