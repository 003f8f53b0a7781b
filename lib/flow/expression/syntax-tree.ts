// Reads and tightens the syntax tree of an expression before it ever runs: denied parts are refused, `&` is replaced by a bounded function.
import { NodeError } from '../format/node-error.ts';
import { patternSize } from './pattern-size.ts';
import { checkRegExp } from './regex.ts';

/** Cannot be written in an expression, so no flow can reach or replace it. */
export const boundedConcat = '&';

/**
 * `$eval` would run data; `$random` and `$shuffle` would differ between a run and its resumption; the picture functions and `$toMillis`
 * have patterns of exponential time; `$clone` serves only the transform operator.
 */
export const denied: ReadonlySet<string> = new Set([
  'eval',
  'random',
  'shuffle',
  'toMillis',
  'fromMillis',
  'formatNumber',
  'formatInteger',
  'parseInteger',
  'clone',
]);

/** Changes the tree in place. Throws `expression.denied`. `spend` hears how much work a regular expression is before it is compiled. */
export function secureTree(root: unknown, spend?: (weight: number) => void): void {
  const seen = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || part instanceof RegExp || seen.has(part)) continue;
    seen.add(part);
    secure(part as Part, spend);
    for (const inner of Object.values(part)) if (typeof inner === 'object') open.push(inner);
  }
}

interface Part {
  type?: unknown;
  value?: unknown;
  lhs?: unknown;
  rhs?: unknown;
  position?: unknown;
  procedure?: unknown;
  arguments?: unknown;
}

function secure(part: Part, spend?: (weight: number) => void): void {
  if (part.type === 'variable' && typeof part.value === 'string' && denied.has(part.value)) {
    throw new NodeError('expression.denied', `the function $${part.value} is not available`);
  }
  if (part.type === 'transform') {
    throw new NodeError('expression.denied', 'the transform operator | … | … | is not available');
  }
  if (part.type === 'regex' && part.value instanceof RegExp) {
    spend?.(patternSize(part.value.source));
    checkRegExp(part.value);
  }
  if (part.type === 'binary' && part.value === '&') bound(part);
}

function bound(part: Part): void {
  part.type = 'function';
  part.value = '(';
  part.procedure = { type: 'variable', value: boundedConcat, position: part.position };
  part.arguments = [part.lhs, part.rhs];
  part.lhs = undefined;
  part.rhs = undefined;
}
