// Prepares an agent of a flow: compiles its templates, and lists its tools in the order in which the flow
// declares them.
import { template } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { modelChoices } from '../nodes/model-choice.ts';
import { pickSettings } from '../nodes/model-settings.ts';
import type { Surroundings } from '../nodes/node-type.ts';
import { agentTool, discoverTool } from './agent-tool.ts';
import { askUserTool } from './ask-user-tool.ts';
import { captureSource, childTool, flowTool, httpTool } from './declared-tools.ts';
import type { AgentFields, ChildFields, ToolFields } from './definition.ts';
import { knowledgeTool } from './knowledge-tool.ts';
import type { Loop } from './loop.ts';
import { mcpTools } from './mcp-tools.ts';
import { sayTool } from './say-tool.ts';
import type { ToolSource } from './tool.ts';

export function prepareAgent(agent: AgentFields, around: Surroundings): Loop {
  const { agents = [], capture } = agent;
  const hidesAnswer = agent.guardrails?.output !== undefined;
  const children = agents.map((child) =>
    withEffects(childTool(child, createLoop(child, around, { label: `${child.name}: ` })), child),
  );
  return createLoop(agent, around, {
    label: '',
    more: [...children, ...(capture ? [captureSource(capture)] : [])],
    settings: pickSettings(agent),
    onCut: agent.on_cut,
    outputSchema: agent.output_schema,
    isStreamed: agent.stream === true && !hidesAnswer,
    hidesAnswer,
  });
}

type Own = Pick<Loop, 'label'> &
  Partial<Pick<Loop, 'settings' | 'onCut' | 'outputSchema' | 'isStreamed' | 'hidesAnswer'>> & {
    readonly more?: readonly ToolSource[];
  };

const createLoop = (
  agent: AgentFields | ChildFields,
  around: Surroundings,
  { label, more = [], settings = {}, onCut, outputSchema, isStreamed = false, hidesAnswer = false }: Own,
): Loop => ({
  label,
  instructions: template(agent.instructions),
  choices: modelChoices(agent.model, around),
  settings,
  onCut,
  sources: [...(agent.tools ?? []).map((tool) => withEffects(createSource(tool, around), tool)), ...more],
  maxTurns: agent.max_turns ?? limits.agentTurnsDefault,
  answersAtEnd: agent.on_max_turns === 'answer',
  toolChoice: agent.tool_choice ?? 'auto',
  outputSchema,
  isStreamed,
  hidesAnswer,
});

/** A checked flow has exactly one kind in each tool. */
function createSource(tool: ToolFields, around: Surroundings): ToolSource {
  if (tool.http) return httpTool(tool, tool.http, around);
  if (tool.mcp !== undefined) return mcpTools(tool, tool.mcp, around);
  if (tool.flow !== undefined) return flowTool(tool, tool.flow);
  if (tool.a2a !== undefined) return agentTool(tool, tool.a2a, around);
  if (tool.knowledge) return knowledgeTool(tool, tool.knowledge, around);
  if (tool.ask_user) return askUserTool(tool, tool.ask_user);
  if (tool.say) return sayTool(tool, tool.say);
  return discoverTool(tool, tool.discover ?? {}, around);
}

/** What a tool means for its agent, and its time limit. */
function withEffects(
  source: ToolSource,
  { ends, assign, timeout_seconds: seconds }: Pick<ToolFields, 'ends' | 'assign' | 'timeout_seconds'>,
): ToolSource {
  const limited = limitTime(source, seconds);
  if (ends !== true && !assign) return limited;
  const effects = { endsAgent: ends === true, ...(assign && { assign: template(assign) }) };
  return async (context, findings) =>
    (await limited(context, findings)).map((tool) => ({ ...tool, ...effects }));
}

/**
 * Gives the tools a time limit, by default that of the agent. When it is over, that is reported to the model like any
 * other failure, and the agent continues. Waiting for an answer or an approval does not count.
 */
function limitTime(source: ToolSource, seconds: number | undefined): ToolSource {
  if (seconds === undefined) return source;
  return async (context, findings) => {
    const tools = await source(context, findings);
    return tools.map((tool) => ({
      ...tool,
      run: (use) => use.context.within({ what: 'tool', seconds }, (context) => tool.run({ ...use, context })),
    }));
  };
}
