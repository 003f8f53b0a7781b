// Finds a mistake in the syntax of code without the interpreter: the JavaScript engine of this process compiles the
// code, as it compiles a page, and does not run it.
import { compileFunction } from 'node:vm';

const file = 'code';

/** The position and the message; undefined if there is no mistake. */
export function findSyntaxMistake(code: string): string | undefined {
  try {
    compileFunction(`"use strict";\n${code}`, ['input'], { filename: file, lineOffset: -1 });
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return `${findPlace(error.stack ?? '')}${error.message}`;
    if (error instanceof RangeError) return 'the code is nested too deeply';
    throw error;
  }
}

/**
 * Before an error of syntax, its stack has the file with the line, then the line itself, and marks the column. At the
 * end of the code there is no character to mark: the line of the marks has spaces up to there.
 */
function findPlace(stack: string): string {
  const [first = '', , marks = ''] = stack.split('\n', 3);
  const line = /^code:(\d+)$/.exec(first)?.[1];
  if (line === undefined) return '';
  const marked = marks.search(/\S/);
  return `line ${line}, column ${(marked === -1 ? marks.length : marked) + 1}: `;
}
