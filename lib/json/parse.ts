// Parses JSON from callers. The reason of a syntax error does not quote the text.
import { parseIntegersExactly } from './big-integers.ts';

export type Read =
  | { readonly isJson: true; readonly value: unknown }
  | { readonly isJson: false; readonly reason: string };

/** Integers that a number would round are text. */
export const readJsonText = (text: string): Read =>
  readWith((json) => parseIntegersExactly(json).value, text);

/** For flows, whose numbers stay numbers: their check warns about those that are rounded. */
export const readRoundedJsonText = (text: string): Read => readWith((json) => JSON.parse(json), text);

function readWith(parse: (text: string) => unknown, text: string): Read {
  try {
    return { isJson: true, value: parse(text) };
  } catch (error) {
    return {
      isJson: false,
      reason: explainSyntaxError(error instanceof Error ? error.message : '', text.length),
    };
  }
}

/**
 * The message of the engine quotes the text around the mistake, which could be a secret, so that only the
 * position is used.
 */
function explainSyntaxError(message: string, length: number): string {
  const [, position, location] = /at position (\d+)(?: \((line \d+ column \d+)\))?/.exec(message) ?? [];
  if (message.startsWith('Unexpected end') || Number(position) >= length)
    return `it ends too early, after ${length} characters`;
  if (position !== undefined) return `see ${location ?? `character ${Number(position) + 1}`}`;
  return 'it has text that is not JSON, such as a name or a word without quotation marks';
}
