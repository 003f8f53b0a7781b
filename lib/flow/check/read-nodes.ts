// Reads the nodes of a flow, also those inside others, each by the schema of its type: what each is, and which scope it belongs to.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { mistakesMax } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { type FlowNode, findNodeSchema, nodeTypes, typeNamed } from '../definition/node-types.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { nodeIdPattern } from '../format/node-fields.ts';
import type { Block, CheckSurroundings } from '../nodes/node-type.ts';
import { addUpTo, type CheckBudget, isFull } from './check-budget.ts';
import type { Mistake, Path } from './mistake.ts';
import { readShape } from './shape.ts';

export interface ReadNode {
  readonly path: Path;
  readonly raw: Json;
  /** Absent when its shape is wrong. */
  readonly node: FlowNode | undefined;
  readonly block: ReadBlock;
}

/** The nodes of one scope: those of the flow itself, or those of a part of a node. */
export interface ReadBlock {
  readonly path: Path;
  readonly start: Json | undefined;
  readonly nodes: Map<string, ReadNode>;
  /** Ids that stand here too, of nodes that are read elsewhere: one mistake, told at its place, and no other follows from it. */
  readonly twins: Set<string>;
  /** Id of the node that the block is a part of, and the block in which that one stands. */
  readonly host: { readonly id: string; readonly block: ReadBlock } | undefined;
  /** Names that its expressions see beside those around it. */
  readonly names: readonly string[];
  readonly depth: number;
}

export interface ReadNodes {
  /** Of all blocks: ids are unique in a flow. */
  readonly nodes: ReadonlyMap<string, ReadNode>;
  /** Outer ones first; the first is the flow itself. */
  readonly blocks: readonly ReadBlock[];
  readonly mistakes: readonly Mistake[];
  /** Mistakes beyond those listed. */
  readonly unlisted: number;
}

interface Reading {
  readonly nodes: Map<string, ReadNode>;
  readonly blocks: ReadBlock[];
  readonly mistakes: Mistake[];
  unlisted: number;
  readonly around: CheckSurroundings;
  readonly work: CheckBudget;
}

export function readNodes(flow: JsonObject, around: CheckSurroundings, work: CheckBudget): ReadNodes {
  const reading: Reading = { nodes: new Map(), blocks: [], mistakes: [], unlisted: 0, around, work };
  readBlock(rootBlock(flow.start), flow.nodes, reading);
  if (reading.nodes.size > limits.nodesMax) {
    const detail = `expected at most ${limits.nodesMax} nodes, got more`;
    return { nodes: new Map(), blocks: [], mistakes: [{ pointer: '/nodes', detail }], unlisted: 0 };
  }
  return reading;
}

const rootBlock = (start: Json | undefined): ReadBlock => ({
  path: [],
  start,
  nodes: new Map(),
  twins: new Set(),
  host: undefined,
  names: [],
  depth: 0,
});

function readBlock(block: ReadBlock, nodes: Json | undefined, reading: Reading): void {
  reading.blocks.push(block);
  const place = [...block.path, 'nodes'];
  if (!isObject(nodes) || Object.keys(nodes).length === 0) {
    report(reading, place, 'expected an object with at least one node');
    return;
  }
  for (const id of Object.keys(nodes)) {
    if (reading.nodes.size > limits.nodesMax) return;
    const path = [...place, id];
    reading.work.at = path;
    if (!nodeIdPattern.test(id))
      report(reading, path, 'expected a node id: a lower-case letter, then up to 63 of a-z, 0-9 and _');
    const twin = reading.nodes.get(id);
    if (twin) {
      block.twins.add(id);
      report(
        reading,
        path,
        `expected an id that no other node of the flow has, ${pointerTo(twin.path)} has it too`,
      );
      continue;
    }
    const raw = nodes[id] ?? null;
    const read = { path, raw, node: readNode(raw, path, reading), block };
    reading.nodes.set(id, read);
    block.nodes.set(id, read);
    if (read.node) readInside(id, read.node, read, reading);
  }
}

function readInside(id: string, node: FlowNode, { path, block }: ReadNode, reading: Reading): void {
  for (const part of typeNamed(node.type)?.blocks?.(node) ?? []) {
    const inner = innerBlock(part, path, { id, block });
    if (inner.depth <= limits.nestingMax) readBlock(inner, part.nodes, reading);
    else report(reading, inner.path, `expected at most ${limits.nestingMax} levels of nodes inside nodes`);
  }
}

const innerBlock = (part: Block, path: Path, host: { id: string; block: ReadBlock }): ReadBlock => ({
  path: [...path, ...part.path],
  start: part.start,
  nodes: new Map(),
  twins: new Set(),
  host,
  names: part.names,
  depth: host.block.depth + 1,
});

function readNode(raw: Json, path: Path, reading: Reading): FlowNode | undefined {
  if (!isObject(raw)) return report(reading, path, 'expected a node: an object with a `type`');
  const schema = findNodeSchema(raw.type);
  if (!schema) return report(reading, [...path, 'type'], typeMistake(raw.type));
  const shape = readShape(schema, raw, path);
  const listed = reading.mistakes.length;
  addUpTo(mistakesMax, reading.mistakes, shape.mistakes);
  reading.unlisted += shape.unlisted + shape.mistakes.length - (reading.mistakes.length - listed);
  if (!shape.ok) return undefined;
  // Once enough mistakes are listed, others are only counted, and checks that cost work are left out.
  if (!isFull(reading.mistakes))
    typeNamed(raw.type)?.check?.(shape.value, reading.around, (steps, detail) =>
      report(reading, [...path, ...steps], detail),
    );
  return shape.value;
}

function typeMistake(name: Json | undefined): string {
  const expected = `expected one of ${Object.keys(nodeTypes).join(', ')}`;
  if (typeof name !== 'string') return expected;
  return `unknown node type "${truncate(name, 64)}": ${expected}`;
}

function report(reading: Reading, path: Path, detail: string): undefined {
  if (isFull(reading.mistakes)) reading.unlisted += 1;
  else reading.mistakes.push({ pointer: pointerTo(path), detail });
}
