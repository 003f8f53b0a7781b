// Compares the outputs of generated runs with what the check of flows expects of them: an author is warned of every
// member that the expected shape does not have.
import { createShapes, type FindShape } from '#lib/flow/check/output-shape.ts';
import type { ReadBlock, ReadNode } from '#lib/flow/check/read-nodes.ts';
import type { ObjectShape, Shape } from '#lib/flow/check/value-shape.ts';
import type { FlowNode } from '#lib/flow/definition/node-types.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Driven } from './drive.ts';

type Nodes = Readonly<Record<string, FlowNode>>;

/** The members of these outputs are those of the node type alone. */
const ownTypes: readonly FlowNode['type'][] = ['http', 'a2a', 'store', 'wait', 'agent'];

export function createShapeComparison() {
  const unexpected = new Set<string>();
  const declared = new Map<string, readonly string[]>();
  const seen = new Map<string, Set<string>>();

  function compare(shape: Shape, value: Json, where: string): void {
    if (value === null || shape.kind === undefined) return;
    if (shape.kind === 'list' && Array.isArray(value))
      for (const each of value) compare(shape.item(), each, `${where}[]`);
    else if (shape.kind === 'object' && isRecord(value)) compareMembers(shape, value, where);
    else if (typeof value !== (shape.kind === 'text' ? 'string' : shape.kind))
      unexpected.add(`${where}: ${JSON.stringify(value).slice(0, 80)}`);
  }

  function compareMembers(shape: ObjectShape, value: JsonObject, where: string): void {
    for (const [name, member] of Object.entries(value)) {
      const inner = shape.find(name);
      if (inner) compare(inner, member, `${where}.${name}`);
      else if (shape.names) unexpected.add(`${where}.${name} beside ${shape.names().join(', ')}`);
    }
  }

  function count(node: FlowNode, shape: Shape, value: Json): void {
    if (!ownTypes.includes(node.type) || shape.kind !== 'object' || !shape.names) return;
    const names = shape.names();
    const variant = `${node.type} with ${names.join(', ')}`;
    declared.set(variant, names);
    seen.set(variant, new Set([...(seen.get(variant) ?? []), ...Object.keys(value ?? {})]));
  }

  return {
    unexpected,
    /** Members that no output has had. */
    unseen: (): readonly string[] =>
      [...declared].flatMap(([variant, names]) =>
        names.filter((name) => !seen.get(variant)?.has(name)).map((name) => `${variant}: ${name}`),
      ),
    compareOutputs: (nodes: Nodes, { outcome }: Driven): void => {
      const find = findShapes(nodes);
      for (const [id, value] of Object.entries(readOutputs(outcome))) {
        const node = nodes[id];
        if (!node || isCaught(value)) continue;
        compare(find(id), value, node.type);
        count(node, find(id), value);
      }
    },
  };
}

/** Generated flows return the outputs of all nodes of their own scope. */
function readOutputs(outcome: Driven['outcome']): Readonly<Record<string, Json>> {
  if (outcome.status !== 'completed') return {};
  const { response } = outcome;
  const outputs = isRecord(response) ? response.nodes : undefined;
  return isRecord(outputs) ? outputs : {};
}

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `catch` replaces the output by the error. */
const isCaught = (value: Json): boolean => isRecord(value) && isRecord(value.error) && 'code' in value.error;

function findShapes(nodes: Nodes): FindShape {
  const known = new Map<string, ReadNode>();
  addBlock(nodes, [], known);
  return createShapes(known);
}

function addBlock(nodes: Nodes, path: ReadBlock['path'], known: Map<string, ReadNode>): void {
  const block: ReadBlock = {
    ...{ path, start: null, nodes: new Map(), duplicates: new Set<string>() },
    ...{ host: undefined, names: [], depth: 0 },
  };
  for (const [id, node] of Object.entries(nodes)) {
    const read = { path: [...path, 'nodes', id], raw: null, node, block };
    known.set(id, read);
    block.nodes.set(id, read);
    if (node.type === 'map') addBlock(node.body.nodes as Nodes, [...read.path, 'body'], known);
    if (node.type === 'parallel')
      for (const [name, branch] of Object.entries(node.branches))
        addBlock(branch.nodes as Nodes, [...read.path, 'branches', name], known);
  }
}
