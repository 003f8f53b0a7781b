// Checks and restricts the syntax tree of an expression before it is evaluated: denied functions are refused,
// and `&` is replaced by a function with a size limit.
import { NodeError } from '../format/node-error.ts';
import { patternSize } from './pattern-size.ts';
import { checkRegExp } from './regex.ts';

/** This name cannot be written in an expression, so that no flow can call or replace the function. */
export const boundedConcat = '&';

/**
 * `$eval` would execute data; `$shuffle` would return another order after a run is resumed; `$clone` serves only
 * the transform operator.
 */
export const denied: ReadonlySet<string> = new Set(['eval', 'shuffle', 'clone']);

/**
 * Changes the tree in place. Throws `expression.denied`. `spend` is called with the size of each regular
 * expression before it is compiled.
 */
export function secureTree(root: unknown, spend?: (size: number) => void): void {
  const seen = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || part instanceof RegExp || seen.has(part)) continue;
    seen.add(part);
    secure(part as SyntaxNode, spend);
    // Without a list of the values, which takes longer than the rest.
    for (const key in part) {
      const inner: unknown = part[key as keyof typeof part];
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
}

interface SyntaxNode {
  type?: unknown;
  value?: unknown;
  lhs?: unknown;
  rhs?: unknown;
  position?: unknown;
  procedure?: unknown;
  arguments?: unknown;
}

function secure(part: SyntaxNode, spend?: (size: number) => void): void {
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
  if (part.type === 'binary' && part.value === '&') replaceConcat(part);
}

function replaceConcat(part: SyntaxNode): void {
  part.type = 'function';
  part.value = '(';
  part.procedure = { type: 'variable', value: boundedConcat, position: part.position };
  part.arguments = [part.lhs, part.rhs];
  part.lhs = undefined;
  part.rhs = undefined;
}
