// Finds parts of an expression that are valid JSONata but rarely do what their author means: habits from other
// languages, comparisons with null, divisions by zero, and names of the scope where a name belongs to an element.
import { warnOfArguments } from './arguments.ts';
import { spendOnWarnings } from './check-budget.ts';
import { checkFiltered } from './filtered-paths.ts';
import { describeFunction } from './foreign-functions.ts';
import { hasForeignTemplate, warnOfForeignTemplate } from './foreign-templates.ts';
import type { Path } from './mistake.ts';
import { isSearching, type NameCheck, readNames } from './names.ts';
import { warnOfMadeObject, warnOfObjectInText } from './objects-in-text.ts';
import { findRoundedLiteral, warnOfRoundedNumber } from './rounded-numbers.ts';
import { isNamedCall, isPart, leadingNames, type Part, readBareName, readSteps } from './syntax-part.ts';
import { addWarning } from './warning-list.ts';

/** An expression whose warnings are searched for. */
export interface Search {
  readonly source: string;
  readonly path: Path;
  readonly check: NameCheck;
}

interface OpenPart {
  readonly part: unknown;
  /** Whether a name here is one of the scope. Otherwise it belongs to an element of a list. */
  readonly isAtScope: boolean;
  /** What it is compared with. */
  readonly beside?: 'literal' | 'member' | undefined;
}

interface TreeSearch extends Search {
  readonly open: OpenPart[];
  /** A node that occurs in two places of the tree is read once with names of the scope and once without. */
  readonly seen: { readonly atScope: Set<unknown>; readonly elsewhere: Set<unknown> };
  /** Calls that `~>` passes a value. */
  readonly piped: Set<unknown>;
  /** The author of an expression that asks whether a value exists knows that it may be missing. */
  readonly asksForExistence: boolean;
}

/** For visiting one node of the syntax tree: 0.5 µs. */
const partUnits = 20;

/** Iterative, so that a deep expression cannot overflow the stack. */
export function findTraps(tree: unknown, { source, path, check }: Search): void {
  if (!isSearching(check)) return;
  const open: OpenPart[] = [{ part: tree, isAtScope: true }];
  const seen = { atScope: new Set(), elsewhere: new Set() };
  const asksForExistence = /\$(exists|type)\b/.test(source);
  const search = { source, path, check, open, seen, piped: new Set(), asksForExistence };
  for (let next = open.pop(); next; next = open.pop()) {
    const { part, isAtScope, beside } = next;
    if (!spendOnWarnings(check.budget, partUnits)) return;
    if (Array.isArray(part)) for (const inner of part) push({ part: inner, isAtScope, beside }, search);
    else if (isPart(part)) readPart(part, next, search);
  }
}

function push(next: OpenPart, { open, seen }: TreeSearch): void {
  const { part, isAtScope } = next;
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return;
  const known = isAtScope ? seen.atScope : seen.elsewhere;
  if (known.has(part)) return;
  known.add(part);
  open.push(next);
}

function readPart(part: Part, at: OpenPart, search: TreeSearch): void {
  if (part.type === 'path') {
    readPath(part, at, search);
    return;
  }
  if (part.type === 'binary') readBinary(part, at, search);
  if (part.type === 'string' && hasForeignTemplate(String(part.value))) warnOfForeignTemplate(search);
  if (part.type === 'apply' && isPart(part.rhs)) search.piped.add(part.rhs);
  if (part.type === 'function') readCall(part, at, search);
  if (part.type === 'number') readNumber(part, search);
  const isComparison = part.type === 'binary' && comparisons.has(part.value);
  for (const key of Object.keys(part)) {
    const isAtScope = at.isAtScope && !elementFields.has(key);
    const other = key === 'lhs' ? part.rhs : part.lhs;
    push({ part: part[key], isAtScope, beside: isComparison ? nameSide(other) : undefined }, search);
  }
}

function readNumber({ value, position }: Part, { source, path, check }: Search): void {
  const digits = findRoundedLiteral(value, source, position);
  if (digits !== undefined) warnOfRoundedNumber(digits, path, check.warnings);
}

const comparisons: ReadonlySet<unknown> = new Set(['=', '!=', '<', '<=', '>', '>=', 'in']);
/** Fields whose expressions are evaluated for each element of a list. */
const elementFields: ReadonlySet<string> = new Set(['stages', 'predicate', 'group', 'terms']);
const literals: ReadonlySet<unknown> = new Set(['string', 'number', 'value', 'regex']);

function nameSide(part: unknown): OpenPart['beside'] {
  if (!isPart(part)) return undefined;
  if (literals.has(part.type)) return 'literal';
  return part.type === 'path' && readSteps(part)[0]?.type === 'name' ? 'member' : undefined;
}

function readPath(part: Part, at: OpenPart, search: TreeSearch): void {
  const steps = readSteps(part);
  const [first] = steps;
  const names = leadingNames(steps);
  if (!at.isAtScope) warnOfScopeName(names, at.beside, search);
  warnOfLength(steps, at.isAtScope ? names : [], search);
  if (at.isAtScope) checkFiltered(steps, search);
  const isRoot = first?.type === 'variable' && (first.value === '$' || (first.value === '' && at.isAtScope));
  for (const [index, step] of steps.entries()) {
    const isAtScope = (at.isAtScope && index === 0) || (isRoot && index === 1);
    if (step.type !== 'name' || 'stages' in step || 'predicate' in step)
      push({ part: step, isAtScope }, search);
    else if (hasForeignTemplate(String(step.value))) warnOfForeignTemplate(search);
  }
  for (const key of elementFields) push({ part: part[key], isAtScope: false }, search);
}

/** A name of the scope that the elements of a list cannot be expected to have. */
function warnOfScopeName(
  names: readonly string[],
  beside: OpenPart['beside'],
  { path, check }: Search,
): void {
  const [root = '', name] = names;
  if (name === undefined || !check.names.includes(root) || !isOfScope(root, name, beside, check)) return;
  const written = names.slice(0, 4).join('.');
  addWarning(
    check.warnings,
    { code: 'scope_hidden', path, subject: `${root}.${name}` },
    () =>
      `inside a filter, or after a step of a path, names are fields of the current element, so ${written} is one too: write $$.${written}, which begins outside the path`,
  );
}

function isOfScope(root: string, name: string, beside: OpenPart['beside'], check: NameCheck): boolean {
  if (root === 'state') return check.stateNames.has(name);
  if (root === 'nodes') return check.nodes.has(name);
  if (root === 'input' || root === 'run')
    return beside !== 'literal' && check.members[root]?.includes(name) === true;
  return (root === 'env' || root === 'item') && beside === 'member';
}

/** Unless it is quoted, or declared, or one of the measures of a thing. */
function warnOfLength(steps: readonly Part[], names: readonly string[], search: Search): void {
  const { source, path, check } = search;
  const last = steps.at(-1);
  if (steps.length < 2 || last?.type !== 'name' || last.value !== 'length' || 'stages' in last) return;
  if (typeof last.position === 'number' && source[last.position - 1] === '`') return;
  warnOfLengthAt(names.length === steps.length ? names : [], { source, path, check });
}

/** `names` is the whole path, if it begins at the scope. */
export function warnOfLengthAt(names: readonly string[], { source, path, check }: Search): void {
  if (/\b(width|height)\b/.test(source)) return;
  const { shape, isDeclared } = readNames(names, check);
  if (shape && isDeclared) return;
  addWarning(
    check.warnings,
    { code: 'foreign_syntax', path, subject: 'length' },
    () =>
      'lists and texts have no member `length`: expected `$count(…)` for a list, `$length(…)` for a text. A member of the data of that name is written in backticks',
  );
}

function readBinary({ value, lhs, rhs }: Part, { isAtScope }: OpenPart, search: TreeSearch): void {
  const { path, check } = search;
  if (value === '+' && [lhs, rhs].some((side) => isText(side, isAtScope, check)))
    addWarning(
      check.warnings,
      { code: 'foreign_syntax', path, subject: '+' },
      () => '`+` adds numbers, and ends the run with `expression.error` for a text: texts are joined by `&`',
    );
  if ((value === '/' || value === '%') && isPart(rhs) && rhs.type === 'number' && rhs.value === 0)
    addWarning(
      check.warnings,
      { code: 'division_by_zero', path, subject: '' },
      () =>
        `${value} 0 gives null: expected another divisor, or a condition such as \`n = 0 ? 0 : total / n\``,
    );
  if ((value !== '=' && value !== '!=') || !isAtScope || search.asksForExistence) return;
  if (isNull(lhs)) warnOfNull(rhs, value, search);
  else if (isNull(rhs)) warnOfNull(lhs, value, search);
}

function isText(part: unknown, isAtScope: boolean, check: NameCheck): boolean {
  if (!isPart(part)) return false;
  if (part.type === 'string') return true;
  const steps = isAtScope && part.type === 'path' ? readSteps(part) : [];
  const names = leadingNames(steps);
  return names.length > 1 && names.length === steps.length && readNames(names, check).shape?.kind === 'text';
}

const isNull = (part: unknown): boolean => isPart(part) && part.type === 'value' && part.value === null;

/** A value that may be missing, which is neither null nor unlike it. */
function warnOfNull(part: unknown, operator: string, { path, check }: Search): void {
  const steps = isPart(part) && part.type === 'path' ? readSteps(part) : [];
  const names = leadingNames(steps);
  const isWhole = names.length === steps.length && !steps.some((step) => 'stages' in step);
  if (!isWhole || !mayBeMissing(names, check)) return;
  const written = names.join('.');
  addWarning(
    check.warnings,
    { code: 'null_comparison', path, subject: written },
    () =>
      `a missing value is not null, so \`${operator} null\` is ${operator !== '='} where ${written} is missing: expected \`$exists(${written})\`, or \`(${written} ?? null) ${operator} null\` for both`,
  );
}

function mayBeMissing(names: readonly string[], check: NameCheck): boolean {
  const [root = '', name] = names;
  const isOutside = ['env', 'item', 'input'].includes(root)
    ? names.length > 1
    : root === 'nodes' && names.length > 2;
  if (!isOutside || (root === 'input' && name === 'message')) return false;
  return check.names.includes(root) && !readNames(names, check).isAlwaysThere;
}

function readCall(part: Part, { isAtScope }: OpenPart, search: TreeSearch): void {
  const { procedure, arguments: args } = part;
  warnOfArguments(part, search.piped.has(part) ? 1 : 0, search);
  const { path, check } = search;
  const name = readBareName(procedure);
  if (name !== undefined)
    addWarning(
      check.warnings,
      { code: 'foreign_syntax', path, subject: `${name}()` },
      () => `\`${name}(…)\` calls a method, and values have no methods: expected ${describeFunction(name)}`,
    );
  if (isAtScope && isNamedCall(procedure, '&') && Array.isArray(args))
    for (const argument of args.filter(isPart)) {
      warnOfMadeObject(argument, search);
      if (argument.type === 'path') {
        const steps = readSteps(argument);
        const names = leadingNames(steps);
        if (names.length === steps.length) warnOfObjectInText(names, search);
      }
    }
}
