// Finds a node in the document of a flow. Pure.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

/** Ids are unique in the whole flow, also in blocks. */
export function findNode({ nodes }: JsonObject, id: string): JsonObject | undefined {
  if (!isObject(nodes)) return undefined;
  const own = nodes[id];
  if (isObject(own)) return own;
  for (const node of Object.values(nodes)) {
    if (!isObject(node)) continue;
    for (const block of listBlocks(node)) {
      const found = findNode(block, id);
      if (found) return found;
    }
  }
  return undefined;
}

const listBlocks = ({ body, branches }: JsonObject): readonly JsonObject[] =>
  [body, ...(isObject(branches) ? Object.values(branches) : [])].filter((block: Json | undefined) =>
    isObject(block),
  );
