// Mistakes in how the nodes of a scope lead to one another: ids that are none, ways that end too early, nodes that nothing reaches.
import type { Json } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { truncate } from '#lib/truncate.ts';
import { hasNext, typeNamed } from '../definition/node-types.ts';
import { isList, isObject } from '../format/json-value.ts';
import type { Target } from '../nodes/node-type.ts';
import { isFull } from './check-budget.ts';
import type { Mistake, Path } from './mistake.ts';
import type { ReadBlock, ReadNode, ReadNodes } from './read-nodes.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

interface Counted {
  /** Mistakes beyond those listed. */
  unlisted: number;
}

interface GraphMistakes extends Readonly<Counted> {
  readonly mistakes: readonly Mistake[];
}

export function graphMistakes({ nodes, blocks }: ReadNodes): GraphMistakes {
  const counted = { unlisted: 0 };
  const mistakes = blocks.flatMap((block) => blockMistakes(block, nodes, counted));
  return { mistakes, ...counted };
}

function blockMistakes(block: ReadBlock, all: Nodes, counted: Counted): Mistake[] {
  const { nodes, twins, start, path } = block;
  // A scope without nodes is a mistake by itself.
  if (nodes.size + twins.size === 0) return [];
  const errors: Mistake[] = [];
  const look = (path: Path, id: string) => {
    if (nodes.has(id) || twins.has(id)) return;
    if (isFull(errors)) counted.unlisted += 1;
    else errors.push(unknownTarget(path, id, block, all));
  };
  if (typeof start === 'string') look([...path, 'start'], start);
  for (const read of nodes.values())
    for (const target of targetsOf(read)) look([...read.path, ...target.path], target.id);
  for (const error of block.host ? endsInside(nodes) : openEnds(nodes)) errors.push(error);
  // A node whose shape or targets are wrong, or that is not read, may lead anywhere: what is unreachable can only be told when all is known.
  const isKnown = errors.length === 0 && twins.size === 0 && [...nodes.values()].every(({ node }) => node);
  if (isKnown && typeof start === 'string') for (const error of unreachable(start, nodes)) errors.push(error);
  return errors;
}

const known = new WeakMap<ReadNode, readonly Target[]>();

/** Found once for each node: what leads where is asked for every node that an expression names. */
export function targetsOf(read: ReadNode): readonly Target[] {
  const targets = known.get(read) ?? foundTargets(read);
  known.set(read, targets);
  return targets;
}

/** `next` and `catch` are read from the raw node, so that a mistake elsewhere in the node does not hide one there. */
function foundTargets({ raw, node }: ReadNode): readonly Target[] {
  if (!isObject(raw)) return [];
  const targets: Target[] = [];
  const add = (path: Target['path'], id: Json | undefined) => {
    if (typeof id === 'string') targets.push({ path, id });
  };
  add(['next'], raw.next);
  for (const [index, one] of listOf(raw.catch).entries())
    if (isObject(one)) add(['catch', index, 'next'], one.next);
  return node ? [...targets, ...(typeNamed(node.type)?.targets?.(node) ?? [])] : targets;
}

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

function unknownTarget(path: Path, id: string, { nodes, twins }: ReadBlock, all: Nodes): Mistake {
  const ids = [...nodes.keys(), ...twins];
  const near = `${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ', …' : ''}`;
  const what = all.has(id)
    ? `the node "${id}" belongs to another scope`
    : `unknown node "${truncate(id, 64)}"`;
  return { pointer: pointerTo(path), detail: `${what}: expected one of ${near}` };
}

/** A flow with an `end` says what its response is; a way that stops elsewhere is then a forgotten `next`. */
function openEnds(nodes: Nodes): Mistake[] {
  if (![...nodes.values()].some(isEnd)) return [];
  return [...nodes.values()]
    .filter(({ node }) => node && hasNext(node.type) && !('next' in node))
    .map(({ path }) => ({
      pointer: pointerTo(path),
      detail: 'expected `next`: in a flow with an `end` node every way leads to an `end` or a `fail`',
    }));
}

/** Scopes that run beside each other cannot each end the run. */
const endsInside = (nodes: Nodes): Mistake[] =>
  [...nodes.values()].filter(isEnd).map(({ path }) => ({
    pointer: pointerTo([...path, 'type']),
    detail:
      'an `end` ends the run and cannot stand inside another node: a node without `next` ends the scope',
  }));

const isEnd = ({ raw }: ReadNode) => isObject(raw) && raw.type === 'end';

function unreachable(start: string, nodes: Nodes): Mistake[] {
  const reached = reachableFrom(start, nodes);
  return [...nodes]
    .filter(([id]) => !reached.has(id))
    .map(([, { path }]) => ({
      pointer: pointerTo(path),
      detail: `unreachable: expected a way from "${start}" that leads here`,
    }));
}

/** `spend` hears how many ways are followed from each node. */
export function reachableFrom(
  start: string,
  nodes: Nodes,
  spend: (ways: number) => void = () => {},
): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const found = nodes.get(id);
    if (!found || reached.has(id)) continue;
    reached.add(id);
    const targets = targetsOf(found);
    spend(targets.length + 1);
    for (const { id: next } of targets) if (!reached.has(next)) open.push(next);
  }
  return reached;
}
