// Checks the expressions of a flow: their syntax, functions that are not available, and names that do not exist.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { addMistake } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { findNodeType } from '../definition/node-types.ts';
import { parseExpression } from '../expression/language.ts';
import { parseBarePath } from '../expression/path.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { someNames } from '../format/some-names.ts';
import { hasTemplate, parseSegments } from '../format/template-segments.ts';
import type { Members } from '../nodes/node-type.ts';
import { type CheckBudget, type CheckState, isFull, spendCheckBudget } from './check-budget.ts';
import { findReachable } from './graph.ts';
import type { Path, Warning } from './mistake.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

/** What an expression is checked against, and where its mistakes and warnings are listed. */
export interface ExpressionCheck extends CheckState {
  readonly warnings: Warning[];
  readonly nodes: Nodes;
  /** What a path may begin with. */
  readonly names: readonly string[];
  readonly members: Members;
  /** Whether the expression sees the outputs of the nodes of that scope. */
  readonly isVisible: (id: string, within: ReadBlock) => boolean;
  /**
   * Whether a path leads from that node, of this scope or an outer one, to the node of the expression. A node's own
   * output has a value in its `assign`.
   */
  readonly isBefore: (id: string, within: ReadBlock) => boolean;
  readonly stateNames: ReadonlySet<string>;
  /** The number of expressions that have been checked in the whole flow. */
  readonly checked: { count: number };
}

/** Adds the mistakes to the list, and returns the warnings. */
export function checkExpressions(nodes: Nodes, head: JsonObject, state: CheckState): readonly Warning[] {
  const warnings: Warning[] = [];
  const stateNames = findStateNames(nodes, head.state);
  const checked = { count: 0 };
  const reach = cacheReachable(state.budget);
  for (const [id, { raw, path, block }] of nodes) {
    if (!isObject(raw)) continue;
    checkNode(raw, path, {
      ...state,
      warnings,
      nodes,
      names: collectNames(block),
      members,
      isVisible: (other, within) => isAround(within, block) || hasDuplicate(other, block),
      isBefore: (other, within) => reach(other, within).has(findAncestor(id, block, within)),
      stateNames,
      checked,
    });
  }
  return warnings;
}

function checkNode(raw: JsonObject, path: Path, check: ExpressionCheck): void {
  const { names } = check;
  const type = findNodeType(raw.type);
  for (const field of type?.templates ?? []) checkValue(raw[field] ?? null, [...path, field], check);
  for (const field of type?.templatesInside?.(raw) ?? []) {
    const inner = { names: [...names, ...field.names], members: { ...members, ...field.members } };
    checkValue(field.value, [...path, ...field.path], { ...check, ...inner });
  }
  const assignNames = raw.type === 'ask' ? [...names, 'answer'] : names;
  checkValue(raw.assign ?? null, [...path, 'assign'], { ...check, names: assignNames });
  for (const [index, catcher] of (isList(raw.catch) ? raw.catch : []).entries()) {
    if (isObject(catcher)) checkValue(catcher.assign ?? null, [...path, 'catch', index, 'assign'], check);
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
export function findStateNames(nodes: Nodes, state: Json | undefined): Set<string> {
  const names = new Set(isObject(state) ? Object.keys(state) : []);
  for (const { raw } of nodes.values()) {
    if (!isObject(raw)) continue;
    for (const name of findNodeType(raw.type)?.sets?.(raw) ?? []) names.add(name);
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

function checkText(text: string, path: Path, check: ExpressionCheck): void {
  if (!hasTemplate(text)) return;
  check.budget.path = path;
  if (isFull(check.mistakes)) spendCheckBudget(check.budget, countedTextUnits);
  try {
    for (const segment of parseSegments(text))
      if ('expression' in segment) checkExpression(segment.expression, path, check);
  } catch (error) {
    addNodeError(error, path, check);
  }
}

export function checkExpression(source: string, path: Path, check: ExpressionCheck): void {
  check.checked.count++;
  if (check.checked.count === limits.expressionsMax + 1)
    addMistake(check.mistakes, path, `expected at most ${limits.expressionsMax} expressions in a flow`);
  if (check.checked.count > limits.expressionsMax) return;
  try {
    const bare = source.length <= limits.expressionCharsMax ? parseBarePath(source) : undefined;
    const spend = (units: number) => spendCheckBudget(check.budget, units);
    const { paths, unknown } = bare ? { paths: [bare], unknown: [] } : parseExpression(source, spend);
    for (const names of paths) checkNames(names, path, check);
    for (const name of unknown) {
      const detail = `unknown name "$${name}": expected a function of JSONata, or a variable of the expression`;
      addMistake(check.mistakes, path, `${quote(source)}: ${detail}`);
    }
  } catch (error) {
    addNodeError(error, path, check, `${quote(source)}: `);
  }
}

const quote = (source: string): string => `{{ ${truncate(source, 80)} }}`;

/** Rethrows an error that is not a mistake in the flow. */
export function addNodeError(error: unknown, path: Path, { mistakes }: ExpressionCheck, prefix = ''): void {
  if (!(error instanceof NodeError)) throw error;
  addMistake(mistakes, path, `${prefix}${error.message}`);
}

const scopeNames = ['input', 'state', 'env', 'nodes', 'run'];
export const members: Members = {
  input: ['message', 'user_variables', 'event', 'a2a'],
  run: ['id', 'started_at', 'turn'],
};

/** Checks the names at the beginning of a path, such as `nodes.ask`. */
function checkNames([root = '', name]: readonly string[], path: Path, check: ExpressionCheck): void {
  const { mistakes, warnings } = check;
  if (!check.names.includes(root)) {
    const expected = [...new Set(check.names)].join(', ');
    addMistake(mistakes, path, `unknown name "${root}": expected ${expected}`);
  }
  if (name === undefined) return;
  const known = Object.hasOwn(check.members, root) ? check.members[root] : undefined;
  if (known && !known.includes(name)) {
    const expected = someNames(known.map((one) => `${root}.${one}`)) || 'none, because none is declared';
    addMistake(mistakes, path, `unknown name "${root}.${name}": expected ${expected}`);
  }
  if (root === 'nodes') checkNodeName(name, path, check);
  if (root === 'state' && !check.stateNames.has(name)) {
    warnings.push({
      pointer: pointerTo(path),
      code: 'state_without_value',
      detail: `state.${name} never has a value: expected it in \`state\` or in an \`assign\``,
    });
  }
}

function checkNodeName(name: string, path: Path, check: ExpressionCheck): void {
  const { nodes, isVisible, isBefore, mistakes, warnings } = check;
  const block = nodes.get(name)?.block;
  if (!block) {
    addMistake(mistakes, path, `unknown node "${name}" in nodes.${name}: expected the id of a node`);
  } else if (!isVisible(name, block)) {
    const detail = `nodes.${name} is not visible here: expected a node of this scope or of one around it`;
    addMistake(mistakes, path, detail);
  } else if (!isBefore(name, block)) {
    warnings.push({
      pointer: pointerTo(path),
      code: 'node_without_value',
      detail: `nodes.${name} has no value here: no path leads from "${name}" to this node`,
    });
  }
}
