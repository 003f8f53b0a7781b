// Finds what an expression refers to in its syntax tree: paths that certainly begin at the scope, and
// variables that the expression does not bind. Inside a filter, a sort or a later step, a name belongs to an
// element of a list and is ignored.

export interface References {
  /** Leading names, up to the first step that is not a name: `['nodes', 'order', 'body']`. */
  readonly paths: readonly (readonly string[])[];
  /** The steps of those that have several, in the syntax tree. */
  readonly steps: readonly object[][];
  /** Names without their `$`. */
  readonly variables: ReadonlySet<string>;
}

interface OpenNode {
  readonly part: unknown;
  /** Whether a name here is a name of the scope. */
  readonly isAtScope: boolean;
}

interface SyntaxNode {
  readonly [field: string]: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
  readonly steps?: unknown;
  readonly lhs?: unknown;
  readonly arguments?: unknown;
  readonly focus?: unknown;
  readonly index?: unknown;
}

/**
 * Iterative, so that a deep expression cannot overflow the stack. A node that occurs in two places of the
 * tree is read once with names of the scope and once without.
 */
export function findReferences(root: unknown): References {
  const paths: string[][] = [];
  const steps: object[][] = [];
  const used = new Set<string>();
  const bound = new Set<unknown>(['', '$']);
  const seen = { atScope: new Set<unknown>(), elsewhere: new Set<unknown>() };
  const open: OpenNode[] = [{ part: root, isAtScope: true }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { part, isAtScope } = place;
    const known = isAtScope ? seen.atScope : seen.elsewhere;
    if (typeof part !== 'object' || part === null || part instanceof RegExp || known.has(part)) continue;
    known.add(part);
    if (Array.isArray(part)) for (const inner of part) open.push({ part: inner, isAtScope });
    else if (isSyntaxNode(part)) {
      bind(part, bound);
      if (part.type === 'variable' && typeof part.value === 'string') used.add(part.value);
      const names = readScopePath(part, isAtScope);
      if (names.length > 0) paths.push(names);
      if (names.length > 1 && Array.isArray(part.steps)) steps.push(part.steps);
      pushInside(part, isAtScope, open);
    }
  }
  return { paths, steps, variables: new Set([...used].filter((name) => !bound.has(name))) };
}

const isSyntaxNode = (part: unknown): part is SyntaxNode =>
  typeof part === 'object' && part !== null && !(part instanceof RegExp);

/** Adds the names of variables that the node binds, whatever their scope in the expression. */
function bind(
  { type, value, lhs, arguments: parameters, focus, index }: SyntaxNode,
  bound: Set<unknown>,
): void {
  if (focus !== undefined) bound.add(focus);
  if (index !== undefined) bound.add(index);
  if (type === 'index') bound.add(value);
  if (type === 'bind') bound.add(variableName(lhs));
  if (type === 'lambda' && Array.isArray(parameters))
    for (const parameter of parameters) bound.add(variableName(parameter));
}

const variableName = (variable: unknown) => (isSyntaxNode(variable) ? variable.value : undefined);

/** `$$` is the scope everywhere; `$` is the scope outside of lists. */
function readScopePath({ type, steps }: SyntaxNode, isAtScope: boolean): string[] {
  if (type !== 'path' || !Array.isArray(steps)) return [];
  const first: unknown = steps[0];
  const variable = isSyntaxNode(first) && first.type === 'variable' ? first.value : undefined;
  if (variable === '$' || (variable === '' && isAtScope)) return leadingNames(steps, 1);
  return isAtScope ? leadingNames(steps, 0) : [];
}

function leadingNames(steps: readonly unknown[], from: number): string[] {
  const names: string[] = [];
  for (let index = from; index < steps.length; index++) {
    const step = steps[index];
    if (!isSyntaxNode(step) || step.type !== 'name' || typeof step.value !== 'string') break;
    names.push(step.value);
    // After a filter, the next names can belong to another element; after `@$x`, to the value before this step.
    if ('stages' in step || 'focus' in step) break;
  }
  return names;
}

/** Fields of a node whose expressions are evaluated for each element of a list. */
const elementFields: ReadonlySet<string> = new Set(['stages', 'predicate', 'group', 'terms']);

function pushInside(part: SyntaxNode, isAtScope: boolean, open: OpenNode[]): void {
  const { type, steps } = part;
  const isPath = type === 'path' && Array.isArray(steps) && steps.length > 0;
  if (isPath)
    for (const [index, step] of steps.entries())
      open.push({ part: step, isAtScope: isAtScope && index === 0 });
  for (const key in part) {
    const inner = part[key];
    if (typeof inner !== 'object' || inner === null || (isPath && key === 'steps')) continue;
    open.push({ part: inner, isAtScope: isAtScope && !elementFields.has(key) });
  }
}
