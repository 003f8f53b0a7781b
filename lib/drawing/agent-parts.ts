// What an `agent` works with, as lines of text in its box: its tools, and the agents to which it delegates.
import type { FlowNode } from '#lib/flow/definition/node-types.ts';

const partsMax = 8;

export function listAgentParts(node: FlowNode): readonly string[] {
  if (node.type !== 'agent') return [];
  const { tools = [], agents = [] } = node;
  const parts = [...tools.map(describeTool), ...agents.map(describeChild)];
  if (parts.length <= partsMax) return parts;
  return [...parts.slice(0, partsMax - 1), `and ${parts.length - partsMax + 1} more`];
}

type AgentNode = Extract<FlowNode, { type: 'agent' }>;
type Tool = NonNullable<AgentNode['tools']>[number];
type Child = NonNullable<AgentNode['agents']>[number];

/** The kind of the tool, and the name by which the model knows it. The tools of a server have its host. */
function describeTool(tool: Tool): string {
  const { mcp, flow, name } = tool;
  if (mcp !== undefined) return `mcp: ${tool.tools?.join(', ') ?? name ?? hostOf(mcp)}`;
  const kind = (['http', 'flow', 'a2a', 'discover', 'knowledge', 'ask_user', 'say'] as const).find(
    (each) => tool[each] !== undefined,
  );
  const called = name ?? flow;
  return called === undefined ? `${kind}` : `${kind}: ${called}`;
}

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url;

function describeChild({ name, tools = [] }: Child): string {
  if (tools.length === 0) return `agent: ${name}`;
  return `agent: ${name} (${tools.length} ${tools.length === 1 ? 'tool' : 'tools'})`;
}
