// Warns about declarations that no node uses. An unused connection still makes each run wait until it has a value.
import { pointerTo } from '#lib/json/pointer.ts';
import type { Flow } from '../definition/flow.ts';
import { findNodeType } from '../definition/node-types.ts';
import { declaredModels } from '../nodes/model-choice.ts';
import type { Uses } from '../nodes/node-type.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export function findUnusedWarnings(
  { connections = {}, models = {}, egress = [] }: Flow,
  nodes: ReadonlyMap<string, ReadNode>,
): readonly Warning[] {
  const uses = [...nodes.values()].flatMap(
    ({ node }) => (node && findNodeType(node.type)?.uses?.(node)) ?? [],
  );
  const usedConnections = new Set([
    ...uses.flatMap((one) => one.connections ?? []),
    ...Object.values(connections).flatMap(({ oauth }) => oauth?.client ?? []),
  ]);
  const modelNames = new Set(uses.flatMap((one) => one.models ?? []).map(({ name }) => name));
  const usedModels = new Set([...modelNames].flatMap((name) => declaredModels(name, models)));
  return [
    ...findUnused(connections, usedConnections).map((name) =>
      toWarning(
        ['connections', name],
        `no node uses the connection "${name}", but each run waits for its value`,
      ),
    ),
    ...findUnused(models, usedModels).map((name) =>
      toWarning(['models', name], `no node calls the model "${name}"`),
    ),
    ...(uses.some(sendsRequests) ? [] : egress).map((host, index) =>
      toWarning(['egress', index], `no node sends requests, to "${host}" or to any other host`),
    ),
  ];
}

const findUnused = (declared: object, used: ReadonlySet<string>) =>
  Object.keys(declared).filter((name) => !used.has(name));

/** A request may be redirected to any host of `egress`, so with one request each host may be in use. */
const sendsRequests = ({ urls = [], servers = [], agents = [] }: Uses) =>
  [...urls, ...servers, ...agents].length > 0;

const toWarning = (path: readonly (string | number)[], detail: string): Warning => ({
  pointer: pointerTo(path),
  code: 'never_used',
  detail,
});
