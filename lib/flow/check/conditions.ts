// Warns about conditions of a `switch` that can never be true or false.

import { isSearching, readNames } from './names.ts';
import { isPart, leadingNames, type Part, readSteps } from './syntax-part.ts';
import type { Search } from './traps.ts';
import { addWarning } from './warning-list.ts';

const kinds = {
  text: 'a text',
  number: 'a number',
  list: 'a list',
  object: 'an object',
  null: 'null',
  function: 'a function',
} as const;
type Kind = keyof typeof kinds | 'boolean' | undefined;

/** `tree` is undefined for a bare path. */
export function warnOfCondition(
  tree: unknown,
  names: readonly string[],
  { source, path, check }: Search,
): void {
  if (!isSearching(check)) return;
  const kind =
    tree === undefined ? readKind(names, { source, path, check }) : inferKind(tree, { source, path, check });
  if (kind === undefined || kind === 'boolean') return;
  addWarning(
    check.warnings,
    { code: 'condition_not_boolean', path, subject: '' },
    () =>
      `a condition is true or false, and this is ${kinds[kind]}: expected a comparison such as \`… > 0\` or \`… = "yes"\`, or \`$boolean(…)\` or \`$exists(…)\``,
  );
}

/** Of `a ? b : c ? d : e`, which is nested: the rest is not known. */
const nestedMax = 20;

const readKind = (names: readonly string[], { check }: Search): Kind => readNames(names, check).shape?.kind;

function inferKind(part: unknown, search: Search, nested = 0): Kind {
  if (!isPart(part) || nested > nestedMax) return undefined;
  switch (part.type) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'value':
      return part.value === null ? 'null' : 'boolean';
    case 'lambda':
      return 'function';
    case 'unary':
      return part.value === '['
        ? 'list'
        : part.value === '{'
          ? 'object'
          : part.value === '-'
            ? 'number'
            : undefined;
    case 'binary':
      return arithmetic.has(part.value) ? 'number' : undefined;
    case 'path': {
      const steps = readSteps(part);
      const names = leadingNames(steps);
      const isWhole = names.length === steps.length && !steps.some((step) => 'stages' in step);
      return isWhole ? readKind(names, search) : undefined;
    }
    case 'function':
      return readResult(part);
    case 'condition':
      return inferChosen(part, search, nested + 1);
    case 'block':
      return Array.isArray(part.expressions)
        ? inferKind(part.expressions.at(-1), search, nested + 1)
        : undefined;
    default:
      return undefined;
  }
}

/** Without an alternative, the value is missing instead. */
function inferChosen({ then: chosen, else: other }: Part, search: Search, nested: number): Kind {
  const kind = inferKind(chosen, search, nested);
  if (other === undefined || kind === undefined || kind === 'boolean') return kind;
  const alternative = inferKind(other, search, nested);
  return alternative === undefined || alternative === 'boolean' ? alternative : kind;
}

const arithmetic: ReadonlySet<unknown> = new Set(['+', '-', '*', '/', '%']);

function readResult({ procedure }: Part): Kind {
  const name = isPart(procedure) && procedure.type === 'variable' ? procedure.value : undefined;
  if (numbers.has(name)) return 'number';
  // One match is an object, several are a list.
  if (name === 'match') return 'object';
  if (lists.has(name)) return 'list';
  return texts.has(name) ? 'text' : undefined;
}

/** `&` is the function to which the operator is compiled. */
const texts: ReadonlySet<unknown> = new Set([
  ...[
    '&',
    'string',
    'substring',
    'substringBefore',
    'substringAfter',
    'lowercase',
    'uppercase',
    'trim',
    'pad',
  ],
  ...['join', 'replace', 'now', 'type'],
]);
const lists: ReadonlySet<unknown> = new Set(['split', 'range']);
const numbers: ReadonlySet<unknown> = new Set([
  ...['sum', 'count', 'max', 'min', 'average', 'length', 'number', 'floor', 'ceil', 'round', 'abs', 'sqrt'],
  ...['power', 'millis'],
]);
