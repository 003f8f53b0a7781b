// What a test of a run needs to know of the nodes of its flow. The flow was checked when it was registered.
import { isObject } from '#lib/flow/format/json-value.ts';
import { matchesRetry } from '#lib/flow/format/node-error.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

export type Nodes = ReadonlyMap<string, JsonObject>;

/** All nodes by id, with those inside others. */
export function listNodes(flow: JsonObject): Nodes {
  const found = new Map<string, JsonObject>();
  const add = (nodes: Json | undefined) => {
    for (const [id, node] of Object.entries(isObject(nodes) ? nodes : {})) {
      if (!isObject(node)) continue;
      found.set(id, node);
      for (const block of blocksOf(node)) add(block.nodes);
    }
  };
  add(flow.nodes);
  return found;
}

const blocksOf = ({ body, branches }: JsonObject): JsonObject[] =>
  [body, ...Object.values(isObject(branches) ? branches : {})].filter(isObject);

const outside = new Set(['llm', 'agent', 'http', 'mcp', 'a2a', 'flow', 'store']);
const computing = new Set(['transform', 'code']);

/** Functions and names that do not give the same in a test: time, chance, the run itself and its environment. */
const unsteady =
  /\$(now|millis|random|shuffle|uuid)\b|\benv\b|\brun\.|\bDate\b|\bMath\.random|\bperformance\b/;

/** Whether a test needs the output of the node. */
export const needsMock = (node: JsonObject): boolean =>
  outside.has(String(node.type)) || (computing.has(String(node.type)) && unsteady.test(JSON.stringify(node)));

/** How often a node is executed that fails each time with an error. */
export function countAttempts({ retry }: JsonObject, code: string): number {
  if (!isObject(retry)) return 1;
  const on = Array.isArray(retry.on) ? retry.on.map(String) : [];
  return matchesRetry(code, on) ? Number(retry.max_attempts ?? 1) : 1;
}
