// Makes an agent of a flow ready to run: its templates compiled, its tools in the order in which the flow declares them.
import { template } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { modelChoices } from '../nodes/model-choice.ts';
import type { Surroundings } from '../nodes/node-type.ts';
import type { AgentFields, ChildFields, ToolFields } from './definition.ts';
import type { Loop } from './loop.ts';
import { agentTool, discoverTool } from './tool/agent.ts';
import { captureSource } from './tool/capture.ts';
import { childTool } from './tool/child.ts';
import { flowTool } from './tool/flow.ts';
import { httpTool } from './tool/http.ts';
import { mcpTools } from './tool/mcp.ts';
import { timed } from './tool/timed.ts';
import type { ToolSource } from './tool.ts';

export function prepareAgent(agent: AgentFields, around: Surroundings): Loop {
  const { agents = [], capture, temperature, max_tokens, reasoning } = agent;
  const children = agents.map((child) =>
    timed(childTool(child, loopOf(child, around, { label: `${child.name}: ` })), child.timeout_seconds),
  );
  return loopOf(agent, around, {
    label: '',
    more: [...children, ...(capture ? [captureSource(capture)] : [])],
    settings: { temperature, max_tokens, reasoning },
    outputSchema: agent.output_schema,
    isStreamed: agent.stream === true,
  });
}

type Own = Pick<Loop, 'label'> &
  Partial<Pick<Loop, 'settings' | 'outputSchema' | 'isStreamed'>> & {
    readonly more?: readonly ToolSource[];
  };

const loopOf = (
  { instructions, model, tools = [], max_turns = limits.agentTurnsDefault }: AgentFields | ChildFields,
  around: Surroundings,
  { label, more = [], settings = {}, outputSchema, isStreamed = false }: Own,
): Loop => ({
  label,
  instructions: template(instructions),
  choices: modelChoices(model, around),
  settings,
  sources: [...tools.map((tool) => timed(sourceOf(tool, around), tool.timeout_seconds)), ...more],
  maxTurns: max_turns,
  outputSchema,
  isStreamed,
});

/** Exactly one kind is there: the flow was checked. */
function sourceOf(tool: ToolFields, around: Surroundings): ToolSource {
  if (tool.http) return httpTool(tool, tool.http, around);
  if (tool.mcp !== undefined) return mcpTools(tool, tool.mcp, around);
  if (tool.flow !== undefined) return flowTool(tool, tool.flow);
  if (tool.a2a !== undefined) return agentTool(tool, tool.a2a, around);
  return discoverTool(tool, tool.discover ?? {}, around);
}
