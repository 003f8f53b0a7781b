// Checks the expressions of a flow: their syntax, functions that are not available, and names that do not exist.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { addMistake } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { findNodeChecks, findNodeType } from '../definition/node-types.ts';
import { callableNames } from '../expression/built-ins.ts';
import { parseExpression } from '../expression/language.ts';
import { parseBarePath } from '../expression/path.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { suggesting } from '../format/some-names.ts';
import { hasTemplate, parseSegments, wholeExpression } from '../format/template-segments.ts';
import type { Members } from '../nodes/node-type.ts';
import { type CheckBudget, type CheckState, findNearName, isFull, spendCheckBudget } from './check-budget.ts';
import { warnOfCondition } from './conditions.ts';
import { hasForeignTemplate, warnOfForeignTemplate } from './foreign-templates.ts';
import { findReachable, isInLoop } from './graph.ts';
import { findLostAssignments, newStateReads } from './lost-assignments.ts';
import type { Path, Warning } from './mistake.ts';
import { checkNames, isSearching, type NameCheck } from './names.ts';
import { warnOfMadeObject, warnOfObjectInText } from './objects-in-text.ts';
import { createShapes } from './output-shape.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';
import { findSyntaxCure } from './syntax-cures.ts';
import { findTraps, warnOfLengthAt } from './traps.ts';
import { objectSchemaShape } from './value-shape.ts';
import { newWarningList } from './warning-list.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

/** What an expression is checked against, and where its mistakes and warnings are listed. */
export interface ExpressionCheck extends NameCheck {
  /** The number of expressions that have been checked in the whole flow. */
  readonly checked: { count: number };
  /** Whether the expression is a condition of a `switch`. */
  readonly isCondition: boolean;
}

interface NodeCheck extends ExpressionCheck {
  /** As `isBefore`, in `assign`: after the node itself. */
  readonly isBeforeAssign: NameCheck['isBefore'];
}

/** Adds the mistakes to the list, and returns the warnings. */
export function checkExpressions(nodes: Nodes, head: JsonObject, state: CheckState): readonly Warning[] {
  const flow = {
    ...state,
    ...describeFlow(nodes, head),
    warnings: newWarningList(),
    members,
    checked: { count: 0 },
    isAfterRun: false,
  };
  const reach = cacheReachable(state.budget);
  const loops = cacheLoops(state.budget);
  const reads = newStateReads(nodes);
  for (const [id, { raw, path, block }] of nodes) {
    if (!isObject(raw)) continue;
    const isBefore: NameCheck['isBefore'] = (other, within) => {
      const host = findAncestor(id, block, within);
      return other === host ? loops(other, within) : reach(other, within).has(host);
    };
    const isOwn = (other: string, within: ReadBlock) => other === id && within === block;
    checkNode(raw, path, {
      ...flow,
      names: collectNames(block),
      isVisible: (other, within) => isAround(within, block) || hasDuplicate(other, block),
      isBefore,
      isBeforeAssign: (other, within) => isOwn(other, within) || isBefore(other, within),
      isForPeople: typeof raw.type === 'string' && typesForPeople.has(raw.type),
      noteStateRead: (name) => reads.get(name)?.add(id),
      isCondition: false,
    });
  }
  const lost = state.mistakes.total === 0 ? findLostAssignments(nodes, reads, state.budget) : [];
  return [...flow.warnings.listed, ...lost];
}

/** What its expressions can read. */
export const describeFlow = (nodes: Nodes, head: JsonObject) => ({
  nodes,
  stateNames: findStateNames(nodes, head.state),
  findShape: createShapes(nodes),
  variables: objectSchemaShape(head.input),
});

/** Node types whose texts are read by people. */
const typesForPeople: ReadonlySet<string> = new Set(['ask', 'reply', 'end', 'fail']);

function checkNode(raw: JsonObject, path: Path, check: NodeCheck): void {
  const { names } = check;
  const type = findNodeType(raw.type);
  for (const field of type?.templates ?? [])
    checkValue(raw[field] ?? null, [...path, field], { ...check, isCondition: field === 'cases' });
  for (const field of findNodeChecks(raw.type)?.templatesInside?.(raw) ?? []) {
    const inner = { names: [...names, ...field.names], members: { ...members, ...field.members } };
    checkValue(field.value, [...path, ...field.path], { ...check, ...inner });
  }
  const assigning = {
    ...check,
    names: raw.type === 'ask' ? [...names, 'answer'] : names,
    isBefore: check.isBeforeAssign,
    isForPeople: false,
  };
  checkAssignments(raw.assign, [...path, 'assign'], assigning);
  for (const [index, catcher] of (isList(raw.catch) ? raw.catch : []).entries())
    if (isObject(catcher))
      checkAssignments(catcher.assign, [...path, 'catch', index, 'assign'], { ...assigning, names });
}

/** A variable that only its own assignment reads has no reader. */
function checkAssignments(assign: Json | undefined, path: Path, check: ExpressionCheck): void {
  if (!isObject(assign)) return;
  let assigned = '';
  const noteStateRead = (name: string) => {
    if (name !== assigned) check.noteStateRead(name);
  };
  for (const [name, value] of Object.entries(assign)) {
    assigned = name;
    checkValue(value, [...path, name], { ...check, noteStateRead });
  }
}

/** Finds the nodes that each node leads to, once. */
function cacheReachable(budget: CheckBudget) {
  const known = new Map<string, Set<string>>();
  return (id: string, { nodes }: ReadBlock): Set<string> => {
    const reachable =
      known.get(id) ?? findReachable(id, nodes, (edges) => spendCheckBudget(budget, edges * edgeUnits));
    known.set(id, reachable);
    return reachable;
  };
}

/** Finds whether a node is in a loop, once. */
function cacheLoops(budget: CheckBudget) {
  const known = new Map<string, boolean>();
  return (id: string, { nodes }: ReadBlock): boolean => {
    const isLooping =
      known.get(id) ?? isInLoop(id, nodes, (edges) => spendCheckBudget(budget, edges * edgeUnits));
    known.set(id, isLooping);
    return isLooping;
  };
}

/** To follow one edge of the graph. */
const edgeUnits = 8;

/** The node itself or, for an outer scope, the node of that scope that contains it. */
function findAncestor(id: string, block: ReadBlock, within: ReadBlock): string {
  return block === within || !block.host ? id : findAncestor(block.host.id, block.host.block, within);
}

const collectNames = (block: ReadBlock): readonly string[] =>
  block.host ? [...collectNames(block.host.block), ...block.names] : scopeNames;

const isAround = (outer: ReadBlock, block: ReadBlock): boolean =>
  outer === block || (block.host !== undefined && isAround(outer, block.host.block));

/** Whether this scope or an outer one has a node of that id, though another scope has the id too. */
const hasDuplicate = (id: string, { duplicates, host }: ReadBlock): boolean =>
  duplicates.has(id) || (host !== undefined && hasDuplicate(id, host.block));

/** The variables that the flow declares or that any node sets. */
function findStateNames(nodes: Nodes, state: Json | undefined): Set<string> {
  const names = new Set(isObject(state) ? Object.keys(state) : []);
  for (const { raw } of nodes.values()) {
    if (!isObject(raw)) continue;
    for (const name of findNodeChecks(raw.type)?.sets?.(raw) ?? []) names.add(name);
    for (const assigning of [raw, ...(isList(raw.catch) ? raw.catch : [])]) {
      if (isObject(assigning) && isObject(assigning.assign))
        for (const name of Object.keys(assigning.assign)) names.add(name);
    }
  }
  return names;
}

function checkValue(value: Json, path: Path, check: ExpressionCheck): void {
  if (typeof value === 'string') checkText(value, path, check);
  else if (isList(value))
    for (const [index, item] of value.entries()) checkValue(item, [...path, index], check);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) checkValue(item, [...path, key], check);
}

/** For a text with expressions, once the list of mistakes is full: 10 µs. */
const countedTextUnits = 400;

/** And for an expression: mistakes that are only counted are worth less time. */
const countedExpressionFactor = 4;

function checkText(text: string, path: Path, check: ExpressionCheck): void {
  if (hasForeignTemplate(text)) warnOfForeignTemplate({ path, check });
  if (!hasTemplate(text)) return;
  check.budget.path = path;
  if (isFull(check.mistakes)) spendCheckBudget(check.budget, countedTextUnits);
  try {
    const isInText = wholeExpression(text) === undefined;
    for (const segment of parseSegments(text))
      if ('expression' in segment) checkExpression(segment.expression, path, check, isInText);
  } catch (error) {
    addNodeError(error, path, check);
  }
}

export function checkExpression(source: string, path: Path, check: ExpressionCheck, isInText = false): void {
  check.checked.count++;
  if (check.checked.count === limits.expressionsMax + 1)
    addMistake(check.mistakes, path, `expected at most ${limits.expressionsMax} expressions in a flow`);
  if (check.checked.count > limits.expressionsMax) return;
  const search = { source, path, check };
  try {
    const bare = source.length <= limits.expressionCharsMax ? parseBarePath(source) : undefined;
    if (bare) {
      checkNames(bare, path, check);
      if (bare.length > 1 && bare.at(-1) === 'length' && isSearching(check)) warnOfLengthAt(bare, search);
      if (isInText) warnOfObjectInText(bare, search);
      if (check.isCondition) warnOfCondition(undefined, bare, search);
      return;
    }
    const factor = isFull(check.mistakes) ? countedExpressionFactor : 1;
    const { parsed, paths, unknown } = parseExpression(source, (units) =>
      spendCheckBudget(check.budget, units * factor),
    );
    for (const names of paths) checkNames(names, path, check);
    for (const name of unknown)
      addMistake(check.mistakes, path, `${quote(source)}: ${describeUnknown(name, check)}`);
    const tree = parsed.ast();
    findTraps(tree, search);
    if (isInText && isSearching(check)) warnOfMadeObject(tree, search);
    if (check.isCondition) warnOfCondition(tree, [], search);
  } catch (error) {
    const cure = error instanceof NodeError && !isFull(check.mistakes) ? findSyntaxCure(source) : undefined;
    addNodeError(error, path, check, `${quote(source)}: ${cure === undefined ? '' : `${cure}; `}`);
  }
}

function describeUnknown(name: string, check: ExpressionCheck): string {
  const near = findNearName(check, name, callableNames);
  const expected = 'expected a function of JSONata, or a variable of the expression';
  return `unknown name "$${name}": ${suggesting(near && `$${near}`, expected)}`;
}

const quote = (source: string): string => `{{ ${truncate(source, 80)} }}`;

/** Rethrows an error that is not a mistake in the flow. */
export function addNodeError(error: unknown, path: Path, { mistakes }: ExpressionCheck, prefix = ''): void {
  if (!(error instanceof NodeError)) throw error;
  addMistake(mistakes, path, `${prefix}${error.message}`);
}

const scopeNames = ['input', 'state', 'env', 'nodes', 'run'];
export const members: Members = {
  input: ['message', 'user_variables', 'files', 'event', 'a2a'],
  run: ['id', 'started_at', 'turn'],
};
