// Mistakes in how nodes lead to one another: ids that are none, ways that end too early, nodes that nothing reaches.
import type { Json } from '#lib/json.ts';
import { isList, isObject } from '../json-value.ts';
import { type FlowNode, typeNamed } from '../nodes/index.ts';
import type { Target } from '../nodes/node-type.ts';
import { type Mistake, pointerOf } from './mistake.ts';

export interface ReadNode {
  readonly raw: Json;
  /** Absent when its shape is wrong. */
  readonly node: FlowNode | undefined;
}

type Nodes = ReadonlyMap<string, ReadNode>;

export function graphMistakes(start: Json | undefined, nodes: Nodes): Mistake[] {
  const errors: Mistake[] = [];
  if (typeof start === 'string' && !nodes.has(start)) errors.push(unknownTarget(['start'], start, nodes));
  for (const [id, read] of nodes) {
    for (const { path, id: target } of targetsOf(read)) {
      if (!nodes.has(target)) errors.push(unknownTarget(['nodes', id, ...path], target, nodes));
    }
  }
  errors.push(...openEnds(nodes));
  // A node whose shape or targets are wrong may lead anywhere: what is unreachable can only be told when all is known.
  const isKnown = errors.length === 0 && [...nodes.values()].every(({ node }) => node);
  if (isKnown && typeof start === 'string') errors.push(...unreachable(start, nodes));
  return errors;
}

/** `next` and `catch` are read from the raw node, so that a mistake elsewhere in the node does not hide one there. */
function targetsOf({ raw, node }: ReadNode): Target[] {
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

function unknownTarget(path: readonly (string | number)[], id: string, nodes: Nodes): Mistake {
  const near = [...nodes.keys()].slice(0, 20).join(', ');
  return {
    pointer: pointerOf(path),
    detail: `unknown node "${id.slice(0, 64)}": expected one of ${near}${nodes.size > 20 ? ', …' : ''}`,
  };
}

/** A flow with an `end` says what its response is; a way that stops elsewhere is then a forgotten `next`. */
function openEnds(nodes: Nodes): Mistake[] {
  const hasEnd = [...nodes.values()].some(({ raw }) => isObject(raw) && raw.type === 'end');
  if (!hasEnd) return [];
  return [...nodes]
    .filter(([, { node }]) => node && typeNamed(node.type)?.goesOn && !('next' in node))
    .map(([id]) => ({
      pointer: pointerOf(['nodes', id]),
      detail: 'expected `next`: in a flow with an `end` node every way leads to an `end` or a `fail`',
    }));
}

function unreachable(start: string, nodes: Nodes): Mistake[] {
  const reached = reachableFrom(start, nodes);
  return [...nodes.keys()]
    .filter((id) => !reached.has(id))
    .map((id) => ({
      pointer: pointerOf(['nodes', id]),
      detail: `unreachable: expected a way from "${start}" that leads here`,
    }));
}

export function reachableFrom(start: string, nodes: Nodes): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const found = nodes.get(id);
    if (!found || reached.has(id)) continue;
    reached.add(id);
    open.push(...targetsOf(found).map((target) => target.id));
  }
  return reached;
}
