// Declarations that nothing of the flow uses. A connection among them still holds up each run until it has a value.
import { pointerTo } from '#lib/json/pointer.ts';
import type { Flow } from '../definition/flow.ts';
import { typeNamed } from '../definition/node-types.ts';
import { declaredModels } from '../nodes/model-choice.ts';
import type { Uses } from '../nodes/node-type.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export function unusedWarnings(
  { connections = {}, models = {}, egress = [] }: Flow,
  nodes: ReadonlyMap<string, ReadNode>,
): readonly Warning[] {
  const uses = [...nodes.values()].flatMap(({ node }) => (node && typeNamed(node.type)?.uses?.(node)) ?? []);
  const connected = new Set(uses.flatMap((one) => one.connections ?? []));
  const named = new Set(uses.flatMap((one) => one.models ?? []).map(({ name }) => name));
  const asked = new Set([...named].flatMap((name) => declaredModels(name, models)));
  return [
    ...without(connections, connected).map((name) =>
      warning(
        ['connections', name],
        `no node uses the connection "${name}", but each run waits for its value`,
      ),
    ),
    ...without(models, asked).map((name) => warning(['models', name], `no node asks the model "${name}"`)),
    ...(uses.some(sendsRequests) ? [] : egress).map((host, index) =>
      warning(['egress', index], `no node sends requests, to "${host}" or to any other host`),
    ),
  ];
}

const without = (declared: object, used: ReadonlySet<string>) =>
  Object.keys(declared).filter((name) => !used.has(name));

/** One that does may be redirected to any host of `egress`, so it is not known which are used. */
const sendsRequests = ({ urls = [], servers = [], agents = [] }: Uses) =>
  [...urls, ...servers, ...agents].length > 0;

const warning = (path: readonly (string | number)[], detail: string): Warning => ({
  pointer: pointerTo(path),
  code: 'never_used',
  detail,
});
