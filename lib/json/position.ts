// Positions in a text, so that mistakes in a file that people write name line and column.

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number;
}

/**
 * Finds the deepest value of a path that the text has: for a member its name, so that a mistake about a missing
 * member is at the object. Undefined if the text has nothing of the path.
 */
export type Locate = (path: readonly string[]) => Position | undefined;

export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}
