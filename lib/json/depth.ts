// How deep a JSON value is nested. Apart from the schemas, so that who only asks this loads no package.

/**
 * Levels of the values that callers send and that flows work with. Deeper ones could overflow the stack of
 * recursive code.
 */
export const jsonDepthMax = 100;

/** Level by level instead of by recursion, so that the depth it looks for cannot hurt it. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
