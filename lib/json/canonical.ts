// The canonical text of a JSON value (RFC 8785), which is what a signature covers.
import type { Json } from './json.ts';

/**
 * `JSON.stringify` already writes numbers and texts as RFC 8785 demands, and `sort` compares UTF-16 code
 * units. The value must not contain lone surrogates, which bodies are checked for.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join()}}`;
}
