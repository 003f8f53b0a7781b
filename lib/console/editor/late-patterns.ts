// The regular expressions of the engine, for the worker of the editor, whose build puts this file in place of the
// package `re2js`: a quarter of the worker, which only flows that have a regular expression load.
import type { RE2JS as Patterns } from 're2js';

type Compiler = Pick<typeof Patterns, 'compile' | 'translateRegExp' | 'CASE_INSENSITIVE' | 'MULTILINE'>;

let isMissed = false;

function miss(): never {
  isMissed = true;
  throw new Error('the regular expressions are not loaded yet');
}

/**
 * The class of the package once it is loaded.
 *
 * @public The engine imports it by the name of the package.
 */
export let RE2JS: Compiler = { compile: miss, translateRegExp: miss, CASE_INSENSITIVE: 0, MULTILINE: 0 };

/** Runs again with the regular expressions if the first run missed them. */
export async function withPatterns<Result>(run: () => Promise<Result>): Promise<Result> {
  const result = await run();
  if (!isMissed) return result;
  await loadPatterns();
  return await run();
}

export async function loadPatterns(): Promise<void> {
  RE2JS = (await import('re2js')).RE2JS;
  isMissed = false;
}
