// Finds where a node is in the document of a flow, for its position in the text. Pure.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';

export function pointerOfNode(flow: JsonObject, id: string): string | undefined {
  const path = pathOfNode(flow, id);
  return path && pointerTo(path);
}

/** Ids are unique in the whole flow, also in blocks. */
function pathOfNode({ nodes }: JsonObject, id: string): readonly string[] | undefined {
  if (!isObject(nodes)) return undefined;
  if (Object.hasOwn(nodes, id)) return ['nodes', id];
  for (const [name, node] of Object.entries(nodes)) {
    if (!isObject(node)) continue;
    for (const [path, block] of listBlocks(node)) {
      const found = isObject(block) ? pathOfNode(block, id) : undefined;
      if (found) return ['nodes', name, ...path, ...found];
    }
  }
  return undefined;
}

/** The scopes inside a node, with their paths in it. */
export const listBlocks = ({
  body,
  branches,
}: JsonObject): (readonly [readonly string[], Json | undefined])[] => [
  [['body'], body],
  ...(isObject(branches)
    ? Object.entries(branches).map(([name, block]) => [['branches', name], block] as const)
    : []),
];
