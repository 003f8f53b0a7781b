// Reads and tightens the syntax tree of an expression before it ever runs: denied parts are refused, `&` is replaced by a bounded function.
import { NodeError } from '../node-error.ts';
import { linearRegExp } from './regex.ts';

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

/** Changes the tree in place and returns the leading names of its paths. Throws `expression.denied`. */
export function secureTree(root: unknown): string[][] {
  const paths: string[][] = [];
  const seen = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || part instanceof RegExp || seen.has(part)) continue;
    seen.add(part);
    secure(part as Part, paths);
    open.push(...Object.values(part));
  }
  return paths;
}

interface Part {
  type?: unknown;
  value?: unknown;
  steps?: unknown;
  lhs?: unknown;
  rhs?: unknown;
  position?: unknown;
  procedure?: unknown;
  arguments?: unknown;
}

function secure(part: Part, paths: string[][]): void {
  if (part.type === 'variable' && typeof part.value === 'string' && denied.has(part.value)) {
    throw new NodeError('expression.denied', `the function $${part.value} is not available`);
  }
  if (part.type === 'transform') {
    throw new NodeError('expression.denied', 'the transform operator | … | … | is not available');
  }
  if (part.type === 'regex' && part.value instanceof RegExp) linearRegExp(part.value);
  if (part.type === 'path' && Array.isArray(part.steps)) paths.push(leadingNames(part.steps));
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

/** The names up to the first step that is anything else; a filter ends them, because what follows may be another element. */
function leadingNames(steps: readonly unknown[]): string[] {
  const names: string[] = [];
  for (const step of steps) {
    const isName =
      typeof step === 'object' && step !== null && 'type' in step && 'value' in step && step.type === 'name';
    if (!isName || typeof step.value !== 'string') break;
    names.push(step.value);
  }
  return names;
}
