// Parses JSON from others where a mistake is not worth a message.
import type { Json } from './json.ts';

/** Undefined for what is no JSON. Numbers are as `JSON.parse` reads them. */
export function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
