// Reads nodes of the syntax tree of JSONata.

export interface Part {
  readonly [field: string]: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
  readonly position?: unknown;
  readonly steps?: unknown;
  readonly lhs?: unknown;
  readonly rhs?: unknown;
  readonly procedure?: unknown;
  readonly arguments?: unknown;
}

export const isPart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && !Array.isArray(part) && !(part instanceof RegExp);

export const readSteps = ({ steps }: Part): readonly Part[] =>
  Array.isArray(steps) ? steps.filter(isPart) : [];

/** The names at the beginning of a path. */
export function leadingNames(steps: readonly Part[]): readonly string[] {
  const end = steps.findIndex(({ type, value }) => type !== 'name' || typeof value !== 'string');
  return (end === -1 ? steps : steps.slice(0, end)).map(({ value }) => String(value));
}

/** The name, if the part is a path of one name. */
export function readBareName(part: unknown): string | undefined {
  const steps = isPart(part) && part.type === 'path' ? readSteps(part) : [];
  return steps.length === 1 ? leadingNames(steps)[0] : undefined;
}

/** Whether a function is called by that name, without its `$`. */
export const isNamedCall = (procedure: unknown, name: string): boolean =>
  isPart(procedure) && procedure.type === 'variable' && procedure.value === name;
