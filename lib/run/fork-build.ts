// Whether a build can continue what another has begun: the nodes that are not executed again must be the same in both,
// with all that is inside them. Pure.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';

export interface ForkedFlow {
  /** That of the run. */
  readonly before: JsonObject;
  /** That of the build which begins at the node. */
  readonly now: JsonObject;
  /** Those whose outputs the fork has. */
  readonly nodes: ReadonlySet<string>;
}

/** What of the flow makes outputs, beside the nodes themselves. */
const shared = ['state', 'models'] as const;

/** Completes "its …". */
export function findDifference({ before, now, nodes }: ForkedFlow): string | undefined {
  const [then, current] = [nodesOf(before), nodesOf(now)];
  for (const id of nodes) {
    if (current[id] === undefined) return `node "${id}" is gone`;
    if (!isDeepStrictEqual(then[id], current[id])) return `node "${id}" is another`;
  }
  const differs = nodes.size > 0 && shared.find((name) => !isDeepStrictEqual(before[name], now[name]));
  return differs ? `\`${differs}\` is another` : undefined;
}

export const hasNode = (flow: JsonObject, id: string): boolean => nodesOf(flow)[id] !== undefined;

const nodesOf = ({ nodes }: JsonObject): JsonObject => (isObject(nodes) ? nodes : {});
