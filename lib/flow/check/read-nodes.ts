// Reads the nodes of a flow, including those inside other nodes, each by the schema of its type.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { addMistake } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import {
  type FlowNode,
  findNodeChecks,
  findNodeSchema,
  findNodeType,
  nodeTypes,
} from '../definition/node-types.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { nodeIdPattern, nodeRules } from '../format/node-fields.ts';
import { brokenRules } from '../format/notes.ts';
import { suggesting } from '../format/some-names.ts';
import type { Block, CheckSurroundings } from '../nodes/node-type.ts';
import { type CheckState, isFull } from './check-budget.ts';
import type { Path } from './mistake.ts';
import { readShape } from './shape.ts';

export interface ReadNode {
  readonly path: Path;
  readonly raw: Json;
  /** Undefined if its shape is wrong. */
  readonly node: FlowNode | undefined;
  readonly block: ReadBlock;
}

/** The nodes of one scope: those of the flow itself, or those of a block inside a node. */
export interface ReadBlock {
  readonly path: Path;
  readonly start: Json | undefined;
  readonly nodes: Map<string, ReadNode>;
  /** Ids of this scope that another scope has too. The mistake is reported once, and no others follow from it. */
  readonly duplicates: Set<string>;
  /** The id of the node that contains the block, and the block of that node. */
  readonly host: { readonly id: string; readonly block: ReadBlock } | undefined;
  /** Names that its expressions see in addition to those of the outer scopes. */
  readonly names: readonly string[];
  readonly depth: number;
}

export interface ReadNodes {
  /** The nodes of all blocks: ids are unique in a flow. */
  readonly nodes: ReadonlyMap<string, ReadNode>;
  /** Outer ones first; the first is the flow itself. */
  readonly blocks: readonly ReadBlock[];
}

interface Reading extends CheckState {
  readonly nodes: Map<string, ReadNode>;
  readonly blocks: ReadBlock[];
  readonly declarations: CheckSurroundings;
}

export function readNodes(flow: JsonObject, declarations: CheckSurroundings, check: CheckState): ReadNodes {
  const reading: Reading = { ...check, nodes: new Map(), blocks: [], declarations };
  readBlock(newRootBlock(flow.start), flow.nodes, reading);
  if (reading.nodes.size <= limits.nodesMax) return reading;
  report(reading, ['nodes'], `expected at most ${limits.nodesMax} nodes, got more`);
  return { nodes: new Map(), blocks: [] };
}

const newRootBlock = (start: Json | undefined): ReadBlock => ({
  path: [],
  start,
  nodes: new Map(),
  duplicates: new Set(),
  host: undefined,
  names: [],
  depth: 0,
});

function readBlock(block: ReadBlock, nodes: Json | undefined, reading: Reading): void {
  reading.blocks.push(block);
  const nodesPath = [...block.path, 'nodes'];
  if (!isObject(nodes) || Object.keys(nodes).length === 0) {
    report(reading, nodesPath, 'expected an object with at least one node');
    return;
  }
  for (const id of Object.keys(nodes)) {
    if (reading.nodes.size > limits.nodesMax) return;
    const path = [...nodesPath, id];
    reading.budget.path = path;
    if (!nodeIdPattern.test(id))
      report(reading, path, 'expected a node id: a lower-case letter, then up to 63 of a-z, 0-9 and _');
    const first = reading.nodes.get(id);
    if (first) {
      block.duplicates.add(id);
      const detail = `expected an id that no other node of the flow has, ${pointerTo(first.path)} has it too`;
      report(reading, path, detail);
      continue;
    }
    const raw = nodes[id] ?? null;
    const read = { path, raw, node: readNode(raw, path, reading), block };
    reading.nodes.set(id, read);
    block.nodes.set(id, read);
    if (read.node) readInnerBlocks(id, read.node, read, reading);
  }
}

function readInnerBlocks(id: string, node: FlowNode, { path, block }: ReadNode, reading: Reading): void {
  for (const definition of findNodeType(node.type)?.blocks?.(node) ?? []) {
    const inner = newInnerBlock(definition, path, { id, block });
    if (inner.depth <= limits.nestingMax) readBlock(inner, definition.nodes, reading);
    else report(reading, inner.path, `expected at most ${limits.nestingMax} levels of nodes inside nodes`);
  }
}

const newInnerBlock = (
  { path: blockPath, start, names }: Block,
  path: Path,
  host: { id: string; block: ReadBlock },
): ReadBlock => ({
  path: [...path, ...blockPath],
  start,
  nodes: new Map(),
  duplicates: new Set(),
  host,
  names,
  depth: host.block.depth + 1,
});

function readNode(raw: Json, path: Path, reading: Reading): FlowNode | undefined {
  if (!isObject(raw)) return report(reading, path, 'expected a node: an object with a `type`');
  const schema = findNodeSchema(raw.type);
  if (!schema) return report(reading, [...path, 'type'], describeUnknownType(raw.type, reading));
  const node = readShape(schema, raw, path, reading);
  if (node)
    for (const { at, detail } of brokenRules({ ...node }, nodeRules()))
      report(reading, [...path, ...at], detail);
  // Checks that cost work are left out once the list is full.
  if (node && !isFull(reading.mistakes))
    findNodeChecks(raw.type)?.check?.(node, reading.declarations, (steps, detail) =>
      report(reading, [...path, ...steps], detail),
    );
  return node;
}

function describeUnknownType(name: Json | undefined, { declarations }: Reading): string {
  const known = Object.keys(nodeTypes);
  const expected = `expected one of ${known.join(', ')}`;
  if (typeof name !== 'string') return expected;
  const near = declarations.findNearName(name, known);
  return `unknown node type "${truncate(name, 64)}": ${suggesting(near, expected)}`;
}

function report({ mistakes }: Reading, path: Path, detail: string): undefined {
  addMistake(mistakes, path, detail);
}
