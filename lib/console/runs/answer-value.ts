// The value of an answer that was typed. Pure.

/** Undefined for what should be JSON and is not. */
export function readAnswer(text: string, isText: boolean): unknown {
  if (isText) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
