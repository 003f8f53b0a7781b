// What an expression refers to, read from its syntax tree: paths that surely begin at the scope, and variables that nothing in it binds.
// Inside a filter, a sort or a later step a name belongs to an element of a list, so nothing is said of it.

export interface References {
  /** Leading names, up to the first step that is anything else: `['nodes', 'order', 'body']`. */
  readonly paths: readonly (readonly string[])[];
  /** Without their `$`. */
  readonly variables: ReadonlySet<string>;
}

interface Place {
  readonly part: unknown;
  /** Whether a name here is a name of the scope. */
  readonly isAtScope: boolean;
}

interface Part {
  readonly [field: string]: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
  readonly steps?: unknown;
  readonly lhs?: unknown;
  readonly arguments?: unknown;
  readonly focus?: unknown;
  readonly index?: unknown;
}

/** Not by recursion, so that an expression cannot hurt it by its depth. A part that stands in two places of the tree is read once for each kind of place. */
export function referencesIn(root: unknown): References {
  const paths: string[][] = [];
  const used = new Set<string>();
  const bound = new Set<unknown>(['', '$']);
  const seen = { atScope: new Set<unknown>(), elsewhere: new Set<unknown>() };
  const open: Place[] = [{ part: root, isAtScope: true }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { part, isAtScope } = place;
    const known = isAtScope ? seen.atScope : seen.elsewhere;
    if (typeof part !== 'object' || part === null || part instanceof RegExp || known.has(part)) continue;
    known.add(part);
    if (Array.isArray(part)) for (const inner of part) open.push({ part: inner, isAtScope });
    else if (isPart(part)) {
      bind(part, bound);
      if (part.type === 'variable' && typeof part.value === 'string') used.add(part.value);
      const names = namesAtScope(part, isAtScope);
      if (names.length > 0) paths.push(names);
      pushInside(part, isAtScope, open);
    }
  }
  return { paths, variables: new Set([...used].filter((name) => !bound.has(name))) };
}

const isPart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && !(part instanceof RegExp);

/** Names of variables, wherever in the expression they are in force. */
function bind({ type, value, lhs, arguments: parameters, focus, index }: Part, bound: Set<unknown>): void {
  bound.add(focus).add(index);
  if (type === 'index') bound.add(value);
  if (type === 'bind') bound.add(nameOf(lhs));
  if (type === 'lambda' && Array.isArray(parameters))
    for (const parameter of parameters) bound.add(nameOf(parameter));
}

const nameOf = (variable: unknown) => (isPart(variable) ? variable.value : undefined);

/** `$$` is the scope everywhere, `$` where no element is looked at. */
function namesAtScope({ type, steps }: Part, isAtScope: boolean): string[] {
  if (type !== 'path' || !Array.isArray(steps)) return [];
  const first: unknown = steps[0];
  const variable = isPart(first) && first.type === 'variable' ? first.value : undefined;
  if (variable === '$' || (variable === '' && isAtScope)) return leadingNames(steps, 1);
  return isAtScope ? leadingNames(steps, 0) : [];
}

function leadingNames(steps: readonly unknown[], from: number): string[] {
  const names: string[] = [];
  for (let index = from; index < steps.length; index++) {
    const step = steps[index];
    if (!isPart(step) || step.type !== 'name' || typeof step.value !== 'string') break;
    names.push(step.value);
    // What follows a filter may be another element.
    if ('stages' in step) break;
  }
  return names;
}

/** Parts that look at elements of what the part beside them gives. */
const ofElements: ReadonlySet<string> = new Set(['stages', 'predicate', 'group', 'terms']);

function pushInside(part: Part, isAtScope: boolean, open: Place[]): void {
  const { type, steps } = part;
  const isPath = type === 'path' && Array.isArray(steps) && steps.length > 0;
  if (isPath)
    for (const [index, step] of steps.entries())
      open.push({ part: step, isAtScope: isAtScope && index === 0 });
  for (const key in part) {
    const inner = part[key];
    if (typeof inner !== 'object' || inner === null || (isPath && key === 'steps')) continue;
    open.push({ part: inner, isAtScope: isAtScope && !ofElements.has(key) });
  }
}
