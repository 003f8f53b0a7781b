// The nodes of the document of a flow with their scopes, and what refers to one of them. Pure.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { listBlocks } from './node-pointer.ts';

export interface NodePlace {
  readonly id: string;
  readonly type: string;
  readonly node: JsonObject;
  /** The path of the node in the document. */
  readonly path: readonly string[];
  /** The ids of its scope, among which it can continue. */
  readonly siblings: readonly string[];
  /** How many nodes it is inside of. */
  readonly depth: number;
}

export const listNodes = (flow: JsonObject): readonly NodePlace[] => listNodesOf(flow, [], 0);

function listNodesOf({ nodes }: JsonObject, path: readonly string[], depth: number): NodePlace[] {
  if (!isObject(nodes)) return [];
  const siblings = Object.keys(nodes);
  return Object.entries(nodes).flatMap(([id, node]) => {
    if (!isObject(node)) return [];
    const own = [...path, 'nodes', id];
    const type = typeof node.type === 'string' ? node.type : '';
    const inner = listBlocks(node).flatMap(([steps, block]) =>
      isObject(block) ? listNodesOf(block, [...own, ...steps], depth + 1) : [],
    );
    return [{ id, type, node, path: own, siblings, depth }, ...inner];
  });
}

/** Fields whose value is the id of a node. */
const idFields = ['next', 'default', 'on_timeout', 'on_max_visits', 'start'];

/** The JSON pointers of what names a node, except in the node itself: ids, and expressions with its output. */
export function findReferences(flow: JsonObject, id: string): readonly string[] {
  const output = new RegExp(`\\bnodes\\.${id}\\b`);
  const find = (value: Json, path: readonly string[]): string[] => {
    if (typeof value === 'string') {
      const isId = value === id && idFields.includes(path.at(-1) ?? '');
      return isId || (value.includes('{{') && output.test(value)) ? [pointerTo(path)] : [];
    }
    if (typeof value !== 'object' || value === null) return [];
    const isNodes = path.at(-1) === 'nodes';
    return Object.entries(value).flatMap(([name, member]) =>
      isNodes && name === id ? [] : find(member, [...path, name]),
    );
  };
  return find(flow, []);
}

/** What the format allows as an id; ids are unique in the whole flow. */
export const isNodeId = (id: string): boolean => /^[a-z][a-z0-9_]{0,63}$/.test(id);
