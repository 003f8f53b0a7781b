// What a flow may reach and use, read from its text alone: for those who decide whether it may go live.

import { definedOnly } from '../format/json-value.ts';
import { modelChoices } from '../nodes/model-choice.ts';
import type { DeclaredModel, Uses } from '../nodes/node-type.ts';
import { isUrlFromData } from '../nodes/url-field.ts';
import { listNodes, requireType } from './compile.ts';
import type { Flow } from './flow.ts';
import type { FlowManifest } from './manifest-shape.ts';
import { mayPause } from './may-pause.ts';
import type { FlowNode } from './node-types.ts';
import { isStoredFlow } from './stored-flow.ts';
import { findWorstCase } from './worst-case.ts';

export function buildManifest(flow: Flow): FlowManifest {
  const nodes = allNodes(flow.nodes);
  const uses = nodes.map((node) => requireType(node).uses?.(node) ?? {});
  const all = (pick: (one: Uses) => readonly string[] | undefined) =>
    [...new Set(uses.flatMap((one) => pick(one) ?? []))].sort();
  const [servers, agents] = [all((one) => one.servers), all((one) => one.agents)];
  return {
    hosts: findHosts([...all((one) => one.urls), ...servers, ...agents], flow.egress),
    models: all((one) => one.models?.flatMap(({ name }) => modelNames(name, flow))),
    mcp_servers: servers,
    agents,
    discovers: uses.flatMap((one) => one.discovers ?? []).map(definedOnly),
    flows: all((one) => one.flows),
    connections: all((one) => one.connections),
    pauses: nodes.some(mayPause),
    worst_case: findWorstCase(flow),
  };
}

/** Undefined for a flow of a version that this one does not know. */
export const readManifest = (stored: unknown): FlowManifest | undefined =>
  isStoredFlow(stored) ? buildManifest(stored) : undefined;

const allNodes = (nodes: Readonly<Record<string, FlowNode>>): readonly FlowNode[] =>
  Object.values(nodes).flatMap((node) => [
    node,
    ...(requireType(node).blocks?.(node) ?? []).flatMap((block) => allNodes(listNodes(block))),
  ]);

/** Up to the first expression a URL is literal; one that is data may have every host of `egress`. */
const findHosts = (urls: readonly string[], egress: readonly string[] = []): string[] => {
  const hosts = urls.flatMap((url) =>
    isUrlFromData(url) ? egress : URL.parse(url.split('{{')[0] ?? '')?.host || [],
  );
  return [...new Set(hosts)].sort();
};

const modelNames = (asked: string | undefined, { models = {} }: Flow): readonly string[] =>
  modelChoices(asked, { models, egress: [] }).map(modelName);

/** Without a name it is the tenant's default. */
function modelName({ provider, model = 'default', base_url }: DeclaredModel): string {
  if (provider === undefined) return model;
  return `${provider}/${model}${base_url === undefined ? '' : ` at ${base_url}`}`;
}

/** What it may call beside hosts, as lines that two builds can be compared by. */
export function describeReach(stored: unknown): readonly string[] {
  const { mcp_servers = [], agents = [], discovers = [], flows = [] } = readManifest(stored) ?? {};
  return [
    ...mcp_servers.map((url) => `mcp ${url}`),
    ...agents.map((agent) => `agent ${agent}`),
    ...discovers.map((filter) => `agents found by ${JSON.stringify(filter)}`),
    ...flows.map((flowid) => `flow ${flowid}`),
  ];
}
