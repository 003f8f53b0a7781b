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
