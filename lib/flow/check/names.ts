// Checks the names of an expression that begin at its scope: names that do not exist are mistakes, values that cannot
// be there are warnings.
import { addMistake } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { callableNames } from '../expression/built-ins.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import type { Members } from '../nodes/node-type.ts';
import { type CheckState, findNearName, isFull, spendOnWarnings } from './check-budget.ts';
import { findObjectCure } from './foreign-functions.ts';
import type { Path } from './mistake.ts';
import type { FindShape } from './output-shape.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';
import {
  closedShape,
  numberShape,
  type ReadPath,
  readShape,
  type Shape,
  textShape,
  unknownShape,
} from './value-shape.ts';
import { addWarning, isFullOfWarnings, type WarningList } from './warning-list.ts';

/** The names that an expression may use. */
export interface NameCheck extends CheckState {
  readonly warnings: WarningList;
  readonly nodes: ReadonlyMap<string, ReadNode>;
  /** What a path may begin with. */
  readonly names: readonly string[];
  readonly members: Members;
  /** Whether the expression sees the outputs of the nodes of that scope. */
  readonly isVisible: (id: string, within: ReadBlock) => boolean;
  /**
   * Whether a path leads from that node, of this scope or an outer one, to the node of the expression. The output of
   * the node itself has a value in its `assign`, and elsewhere only in a loop.
   */
  readonly isBefore: (id: string, within: ReadBlock) => boolean;
  readonly stateNames: ReadonlySet<string>;
  /** Is called with each variable that is read, and with an empty name for the whole state. */
  readonly noteStateRead: (name: string) => void;
  readonly findShape: FindShape;
  /** Of `input.user_variables`. */
  readonly variables: Shape;
  /** Whether people read the text in which the expression is. */
  readonly isForPeople: boolean;
  /** Whether the output of a node may be its error though the node does not catch it. */
  readonly isAfterRun: boolean;
}

/** Checks the names at the beginning of a path, such as `nodes.ask`. */
export function checkNames(names: readonly string[], path: Path, check: NameCheck): void {
  const [root = '', name] = names;
  const { mistakes, warnings } = check;
  if (!check.names.includes(root)) addMistake(mistakes, path, describeUnknownRoot(root, check));
  if (root === 'state') check.noteStateRead(name ?? '');
  if (name === undefined) return;
  const known = Object.hasOwn(check.members, root) ? check.members[root] : undefined;
  if (known && !known.includes(name)) {
    const all = someNames(known.map((one) => `${root}.${one}`)) || 'none, because none is declared';
    const near = findNearName(check, name, known);
    const expected = suggesting(near && `${root}.${near}`, `expected ${all}`);
    addMistake(mistakes, path, `unknown name "${root}.${name}": ${expected}`);
  }
  if (root === 'nodes') checkNodeName(name, path, check);
  if (root === 'state' && !check.stateNames.has(name))
    addWarning(warnings, { code: 'state_without_value', path, subject: name }, () => {
      const near = findNearName(check, name, check.stateNames);
      const expected = suggesting(near && `state.${near}`, 'expected it in `state` or in an `assign`');
      return `state.${name} never has a value: ${expected}`;
    });
  checkMembers(names, path, check);
}

function describeUnknownRoot(root: string, check: NameCheck): string {
  if (isFull(check.mistakes)) return '';
  if (root.includes('${')) return `unknown name "${truncate(root, 80)}": ${templateLiteralCure}`;
  const cure = findObjectCure(root);
  if (cure !== undefined) return `unknown name "${root}": expected ${cure}`;
  const known = [...new Set(check.names)];
  const near = findMeantPath(root, check) ?? findNearName(check, root, known);
  return `unknown name "${root}": ${suggesting(near, `expected ${known.join(', ')}`)}`;
}

/** A template literal of JavaScript is a name in backticks to JSONata. */
const templateLiteralCure = `backticks quote a name, and \`$\{…}\` is not filled in: texts are joined by \`&\`, such as \`"Hello " & input.message\``;

/** A name without what it belongs to, such as `message` or the id of a node. */
function findMeantPath(name: string, { nodes, stateNames, members, names }: NameCheck): string | undefined {
  if (nodes.has(name)) return `nodes.${name}`;
  if (stateNames.has(name)) return `state.${name}`;
  if (callableNames.includes(name)) return `$${name}`;
  const owner = names.find((root) => Object.hasOwn(members, root) && members[root]?.includes(name));
  return owner === undefined ? undefined : `${owner}.${name}`;
}

function checkNodeName(name: string, path: Path, check: NameCheck): void {
  const { nodes, isVisible, isBefore, mistakes, warnings } = check;
  const read = nodes.get(name);
  const block = read?.block;
  if (!read || !block) {
    const near = findNearName(check, name, [...nodes.keys()]);
    const expected = suggesting(near && `nodes.${near}`, 'expected the id of a node');
    addMistake(mistakes, path, `unknown node "${name}" in nodes.${name}: ${expected}`);
  } else if (!isVisible(name, block)) {
    const detail = `nodes.${name} is not visible here: expected a node of this scope or of one around it`;
    addMistake(mistakes, path, detail);
  } else if (!isBefore(name, block)) {
    addWarning(warnings, { code: 'node_without_value', path, subject: name }, () => {
      const isAround = read.path.every((step, at) => step === path[at]);
      const there = isAround ? 'back to it, and its value comes after its end' : 'to this node';
      return `nodes.${name} has no value here: no path leads from "${name}" ${there}`;
    });
  }
}

/** To read one name of a path in what is known of the value. */
const memberUnits = 20;

/** Warns if the value of a path cannot have one of its members. */
export function checkMembers(names: readonly string[], path: Path, check: NameCheck): void {
  if (!isSearching(check) || !spendOnWarnings(check.budget, names.length * memberUnits)) return;
  const { missing } = readNames(names, check);
  // A text or a list has no `length`, which has a warning of its own.
  if (!missing || (names[missing.at] === 'length' && missing.within.kind !== 'object')) return;
  const about = { code: 'member_without_value', path, subject: names.join('.') } as const;
  addWarning(check.warnings, about, () => describeMissing(names, missing, check));
}

/** Warnings are returned only with a flow without mistakes. */
export const isSearching = ({ mistakes, warnings }: NameCheck): boolean =>
  mistakes.total === 0 && !isFullOfWarnings(warnings);

function describeMissing(names: readonly string[], { within, at }: Missing, check: NameCheck): string {
  const known = within.kind === 'object' ? (within.names?.() ?? []) : [];
  const owner = names.slice(0, at).join('.');
  const name = names[at] ?? '';
  const lead = `${owner}.${name} never has a value`;
  if (name === 'error' && at === 2) return `${lead}: the node "${names[1]}" has no \`catch\``;
  if (within.kind !== 'object')
    return `${lead}: ${owner} is ${kindNames[within.kind ?? 'text']}, without members`;
  const cure = within.cure?.(name);
  if (cure !== undefined) return `${lead}: expected ${cure}`;
  const near = findNearName(check, name, known);
  const all =
    known.length > 0 ? someNames(known.map((one) => `${owner}.${one}`)) : 'none, because there is none';
  return `${lead}: ${suggesting(near && `${owner}.${near}`, `expected ${all}`)}`;
}

type Missing = NonNullable<ReadPath['missing']>;

const kindNames = { text: 'a text', number: 'a number', boolean: 'true or false', list: 'a list' } as const;

const runShape = closedShape({ id: textShape, started_at: textShape, turn: numberShape });

/** What is known of the value of a path that begins at the scope. */
export function readNames(names: readonly string[], check: NameCheck): ReadPath {
  const [root, name = '', member] = names;
  const unknown = { shape: unknownShape, isAlwaysThere: false, isDeclared: false };
  if (root === 'run') return readShape(runShape, names, 1);
  if (root === 'index' && check.names.includes('index')) return readShape(numberShape, names, 1);
  if (root === 'input' && name === 'message') return readShape(textShape, names, 2);
  if (root === 'input' && name === 'user_variables') return readShape(check.variables, names, 2);
  if (root !== 'nodes' || names.length < 2) return unknown;
  if (member === 'error' && (check.isAfterRun || catchesErrors(check.nodes.get(name)))) return unknown;
  return readShape(check.findShape(name), names, 2);
}

const catchesErrors = (read: ReadNode | undefined): boolean =>
  read?.node !== undefined && 'catch' in read.node && (read.node.catch?.length ?? 0) > 0;
