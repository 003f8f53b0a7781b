// The depth of a JSON value. This file imports no schema, so that no caller loads zod for it.

/**
 * Maximum nesting depth of values that callers send and flows process. Deeper values could overflow the stack
 * of recursive functions.
 */
export const jsonDepthMax = 100;

/** Iterative, so that a deep value cannot overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

/**
 * The same of a JSON text, before it is parsed: to parse a megabyte of brackets takes a tenth of a second. Brackets in
 * strings do not count, and an empty list counts as a level. For a text that is not JSON, the answer may be either.
 */
export function isTextDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  let isString = false;
  for (let n = 0; n < text.length; n += 1) {
    const character = text[n];
    if (isString && character === '\\') n += 1;
    else if (character === '"') isString = !isString;
    else if (!isString && (character === '[' || character === '{')) depth += 1;
    else if (!isString && (character === ']' || character === '}')) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}
