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
  readonly type?: unknown;
  readonly value?: unknown;
  readonly steps?: unknown;
  readonly lhs?: unknown;
  readonly arguments?: unknown;
  readonly focus?: unknown;
  readonly index?: unknown;
}

/** Not by recursion, so that an expression cannot hurt it by its depth. */
export function referencesIn(root: unknown): References {
  const paths: string[][] = [];
  const used = new Set<string>();
  const bound = new Set<string>(['', '$']);
  const open: Place[] = [{ part: root, isAtScope: true }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { part, isAtScope } = place;
    if (Array.isArray(part)) open.push(...part.map((inner) => ({ part: inner, isAtScope })));
    else if (isPart(part)) {
      for (const name of boundBy(part)) bound.add(name);
      if (part.type === 'variable' && typeof part.value === 'string') used.add(part.value);
      const names = namesAtScope(part, isAtScope);
      if (names.length > 0) paths.push(names);
      open.push(...inside(part, isAtScope));
    }
  }
  return { paths, variables: new Set([...used].filter((name) => !bound.has(name))) };
}

const isPart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && !(part instanceof RegExp);

/** Names of variables, wherever in the expression they are in force. */
function boundBy({ type, value, lhs, arguments: parameters, focus, index }: Part): string[] {
  const names = [focus, index];
  if (type === 'index') names.push(value);
  if (type === 'bind') names.push(nameOf(lhs));
  if (type === 'lambda' && Array.isArray(parameters)) names.push(...parameters.map(nameOf));
  return names.filter((name) => typeof name === 'string');
}

const nameOf = (variable: unknown) => (isPart(variable) ? variable.value : undefined);

/** `$$` is the scope everywhere, `$` where no element is looked at. */
function namesAtScope({ type, steps }: Part, isAtScope: boolean): string[] {
  if (type !== 'path' || !Array.isArray(steps)) return [];
  const [first, ...rest] = steps;
  const variable = isPart(first) && first.type === 'variable' ? first.value : undefined;
  if (variable === '$' || (variable === '' && isAtScope)) return leadingNames(rest);
  return isAtScope ? leadingNames(steps) : [];
}

function leadingNames(steps: readonly unknown[]): string[] {
  const names: string[] = [];
  for (const step of steps) {
    if (!isPart(step) || step.type !== 'name' || typeof step.value !== 'string') break;
    names.push(step.value);
    // What follows a filter may be another element.
    if ('stages' in step) break;
  }
  return names;
}

/** Parts that look at elements of what the part beside them gives. */
const ofElements: ReadonlySet<string> = new Set(['stages', 'predicate', 'group', 'terms']);

function inside(part: Part, isAtScope: boolean): Place[] {
  const { type, steps } = part;
  const inSteps =
    type === 'path' && Array.isArray(steps)
      ? steps.map((step, index) => ({ part: step, isAtScope: isAtScope && index === 0 }))
      : [];
  const others = Object.entries(part)
    .filter(([key]) => inSteps.length === 0 || key !== 'steps')
    .map(([key, inner]) => ({ part: inner, isAtScope: isAtScope && !ofElements.has(key) }));
  return [...inSteps, ...others];
}
