// The tools of one conversation, by the names that the model sees.

import type { NodeContext } from '../engine/node-context.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { Findings, Tool, ToolSource } from './tool.ts';

export type Toolbox = ReadonlyMap<string, Tool>;

export async function openToolbox(
  sources: readonly ToolSource[],
  context: NodeContext,
  findings: Findings,
): Promise<Toolbox> {
  const tools = (await Promise.all(sources.map((source) => source(context, findings)))).flat();
  if (tools.length > limits.agentToolsMax) {
    const message = `Expected at most ${limits.agentToolsMax} tools, got ${tools.length}: name those wanted in \`tools\`.`;
    throw new NodeError('agent.too_many_tools', message);
  }
  const own = tools.filter(({ isForeign }) => !isForeign).map(({ declaration }) => declaration.name);
  const reserved = new Set(own);
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const name = tool.isForeign ? findFreeName(tool.declaration.name, reserved) : tool.declaration.name;
    reserved.add(name);
    named.set(name, { ...tool, declaration: { ...tool.declaration, name } });
  }
  return named;
}

/** Ensures that the tool of a server cannot replace another. */
function findFreeName(foreign: string, reserved: ReadonlySet<string>): string {
  const name = foreign.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 60) || 'tool';
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}_${count}`;
    if (!reserved.has(free)) return free;
  }
}
