// Checks how the nodes of a scope lead to one another: ids of nodes that do not exist, paths that end too early, nodes
// that nothing reaches.
import type { Json } from '#lib/json/json.ts';
import { addMistake, type MistakeList } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { findNodeType, hasNext } from '../definition/node-types.ts';
import { isList, isObject } from '../format/json-value.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import type { Target } from '../nodes/node-type.ts';
import { type CheckState, findNearName } from './check-budget.ts';
import type { Path } from './mistake.ts';
import type { ReadBlock, ReadNode, ReadNodes } from './read-nodes.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

export function checkGraph({ nodes, blocks }: ReadNodes, check: CheckState): void {
  for (const block of blocks) checkBlock(block, nodes, check);
}

function checkBlock(block: ReadBlock, all: Nodes, check: CheckState): void {
  const { mistakes } = check;
  const { nodes, duplicates, start } = block;
  // A scope without nodes is a mistake by itself.
  if (nodes.size + duplicates.size === 0) return;
  const before = mistakes.total;
  checkTargets(block, all, check);
  refuseCircles(nodes, mistakes);
  if (block.host) refuseEnds(nodes, mistakes);
  else refuseOpenEnds(nodes, mistakes);
  // A node that could not be read, or whose targets are wrong, may lead anywhere. So unreachable nodes are reported
  // only when all targets are known.
  const isKnown =
    mistakes.total === before && duplicates.size === 0 && [...nodes.values()].every(({ node }) => node);
  if (isKnown && typeof start === 'string') refuseUnreachable(start, nodes, mistakes);
}

function checkTargets(block: ReadBlock, all: Nodes, check: CheckState): void {
  const { nodes, duplicates, start, path } = block;
  const known = [...nodes.keys(), ...duplicates];
  const expected = `expected one of ${someNames(known)}`;
  const checkTarget = (path: Path, id: string) => {
    if (nodes.has(id) || duplicates.has(id)) return;
    const problem = all.has(id)
      ? `the node "${id}" belongs to another scope`
      : `unknown node "${truncate(id, 64)}"`;
    const near = all.has(id) ? undefined : findNearName(check, id, known);
    addMistake(check.mistakes, path, `${problem}: ${suggesting(near, expected)}`);
  };
  if (typeof start === 'string') checkTarget([...path, 'start'], start);
  for (const read of nodes.values())
    for (const target of findTargets(read)) checkTarget([...read.path, ...target.path], target.id);
}

const knownTargets = new WeakMap<ReadNode, readonly Target[]>();

/** Read once for each node, because they are needed again for every node that an expression names. */
export function findTargets(read: ReadNode): readonly Target[] {
  const targets = knownTargets.get(read) ?? readTargets(read);
  knownTargets.set(read, targets);
  return targets;
}

/** Reads these fields from the raw node, so that a mistake elsewhere in the node does not hide one in them. */
function readTargets({ raw, node }: ReadNode): readonly Target[] {
  if (!isObject(raw)) return [];
  const targets: Target[] = [];
  const add = (path: Target['path'], id: Json | undefined) => {
    if (typeof id === 'string') targets.push({ path, id });
  };
  add(['next'], raw.next);
  add(['on_max_visits'], raw.on_max_visits);
  for (const [index, one] of (isList(raw.catch) ? raw.catch : []).entries())
    if (isObject(one)) add(['catch', index, 'next'], one.next);
  return node ? [...targets, ...(findNodeType(node.type)?.targets?.(node) ?? [])] : targets;
}

/** Once no node of such a circle has a visit left, a run would follow it for ever. */
function refuseCircles(nodes: Nodes, mistakes: MistakeList): void {
  const followed = new Set<string>();
  for (const start of nodes.keys()) {
    const chain = new Set<string>();
    let id: string | undefined = start;
    while (id !== undefined && !followed.has(id)) {
      followed.add(id);
      chain.add(id);
      id = readOnMaxVisits(nodes.get(id));
    }
    const first = id === undefined || !chain.has(id) ? undefined : nodes.get(id);
    if (first)
      addMistake(
        mistakes,
        [...first.path, 'on_max_visits'],
        `leads back to "${id}" through \`on_max_visits\` alone: expected a path to a node that may still be executed`,
      );
  }
}

const readOnMaxVisits = (read: ReadNode | undefined): string | undefined =>
  isObject(read?.raw) && typeof read.raw.on_max_visits === 'string' ? read.raw.on_max_visits : undefined;

/** In a flow with an `end` node, a path that stops elsewhere is a forgotten `next`. */
function refuseOpenEnds(nodes: Nodes, mistakes: MistakeList): void {
  if (![...nodes.values()].some(isEnd)) return;
  const detail = 'expected `next`: in a flow with an `end` node every path leads to an `end` or a `fail`';
  for (const { node, path } of nodes.values())
    if (node && hasNext(node.type) && !('next' in node)) addMistake(mistakes, path, detail);
}

/** Scopes that run concurrently cannot each end the run. */
function refuseEnds(nodes: Nodes, mistakes: MistakeList): void {
  const detail =
    'an `end` ends the run and cannot be inside another node: a node without `next` ends the scope';
  for (const read of nodes.values()) if (isEnd(read)) addMistake(mistakes, [...read.path, 'type'], detail);
}

const isEnd = ({ raw }: ReadNode) => isObject(raw) && raw.type === 'end';

function refuseUnreachable(start: string, nodes: Nodes, mistakes: MistakeList): void {
  const reached = findReachable(start, nodes);
  for (const [id, { path }] of nodes)
    if (!reached.has(id))
      addMistake(mistakes, path, `unreachable: expected a path from "${start}" to this node`);
}

/** `spend` is called with the number of edges that are followed from each node. */
export function findReachable(
  start: string,
  nodes: Nodes,
  spend: (edges: number) => void = () => {},
): Set<string> {
  return follow([start], nodes, spend);
}

/** Whether a path leads from the node back to itself. */
export function isInLoop(id: string, nodes: Nodes, spend: (edges: number) => void): boolean {
  const read = nodes.get(id);
  return read !== undefined && follow(listTargetIds(read), nodes, spend).has(id);
}

const listTargetIds = (read: ReadNode): string[] => findTargets(read).map(({ id }) => id);

function follow(open: string[], nodes: Nodes, spend: (edges: number) => void): Set<string> {
  const reached = new Set<string>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const read = nodes.get(id);
    if (!read || reached.has(id)) continue;
    reached.add(id);
    const targets = findTargets(read);
    spend(targets.length + 1);
    for (const { id: next } of targets) if (!reached.has(next)) open.push(next);
  }
  return reached;
}
