// Parses JSON from callers. The reason of a syntax error does not quote the text.

export type Read =
  | { readonly isJson: true; readonly value: unknown }
  | { readonly isJson: false; readonly reason: string };

export function readJsonText(text: string): Read {
  try {
    return { isJson: true, value: JSON.parse(text) };
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
  return 'it has a word, a name or a sign where JSON allows none';
}
