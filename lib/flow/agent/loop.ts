// The turns of an agent: the model calls tools until it answers. Each turn is kept, so that a run that is resumed
// elsewhere repeats none.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import type { CallerText } from '../engine/caller-text.ts';
import type { NodeContext } from '../engine/node-context.ts';
import type { Render } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import { firstAnswer } from '../nodes/model-choice.ts';
import type { ModelSettings } from '../nodes/model-settings.ts';
import type { DeclaredModel } from '../nodes/node-type.ts';
import type { ModelAnswer } from '../ports/model.ts';
import { valueFaults } from '../schema/value-faults.ts';
import { addTurn, type Conversation, modelMessages } from './memory.ts';
import { type AgentExecution, type PausedTurn, pausedTurn, type ToolSource } from './tool.ts';
import { openToolbox, type Toolbox } from './toolbox.ts';
import { useTools } from './use-tools.ts';

/** An agent, prepared once for all runs of the flow. */
export interface Loop {
  /** Begins its lines in the log. */
  readonly label: string;
  readonly instructions: Render;
  readonly choices: readonly DeclaredModel[];
  readonly settings: ModelSettings;
  readonly sources: readonly ToolSource[];
  readonly maxTurns: number;
  readonly outputSchema: JsonObject | undefined;
  /** Its text is for the caller; that of the agents inside it never is. */
  readonly isStreamed: boolean;
}

export type LoopEnd =
  | { readonly status: 'completed'; readonly output: Json; readonly turns: number }
  | PausedTurn;

/** Begins or continues the conversation, and changes it in place. */
export async function runLoop(loop: Loop, talk: Conversation, execution: AgentExecution): Promise<LoopEnd> {
  const { context } = execution;
  const toolbox = await openToolbox(loop.sources, context, talk.found);
  const system = asText(await loop.instructions(context.at));
  const callerText = loop.isStreamed ? context.callerText() : undefined;
  for (;;) {
    if (talk.uses.length > 0) {
      const still = await useTools({ toolbox, talk, label: loop.label }, execution);
      if (still) return still;
    }
    if (talk.turns >= loop.maxTurns)
      throw new NodeError('agent.max_turns', `${loop.label}no answer after ${loop.maxTurns} turns.`);
    if (context.isOver()) return pausedTurn;
    const { output, tool_calls } = await turn(loop, { talk, toolbox, system, callerText }, execution);
    if (!tool_calls) {
      callerText?.end(asText(output));
      return { status: 'completed', output: await checked(loop, output, context), turns: talk.turns + 1 };
    }
    await execution.keep();
  }
}

interface Asked {
  readonly talk: Conversation;
  readonly toolbox: Toolbox;
  readonly system: string;
  readonly callerText: CallerText | undefined;
}

async function turn(
  loop: Loop,
  { talk, toolbox, system, callerText }: Asked,
  { context }: AgentExecution,
): Promise<ModelAnswer> {
  const { label, choices, settings, outputSchema, maxTurns } = loop;
  const tools = [...toolbox.values()].map(({ declaration }) => declaration);
  const asked = {
    system,
    messages: modelMessages(talk),
    ...(outputSchema && { output_schema: outputSchema }),
    ...(tools.length > 0 && { tools }),
  };
  const answer = await firstAnswer(choices, context, settings, asked, callerText);
  const { tool_calls } = answer;
  const wanted = tool_calls?.map(({ name }) => truncate(name, 64)).join(', ');
  context.note({
    event: 'turn',
    message: `${label}turn ${talk.turns + 1} of ${maxTurns} (${answer.model}): ${wanted === undefined ? 'answers' : `wants ${wanted}`}`,
    tokens: answer.tokens,
  });
  // A turn that is the answer is not kept: a run that is resumed before the node has ended repeats it.
  if (tool_calls) addTurn(talk, { ...answer, tool_calls });
  return answer;
}

/** A provider promises the shape; the engine makes sure, because the nodes that follow rely on it. */
async function checked({ outputSchema, label }: Loop, output: Json, { at }: NodeContext): Promise<Json> {
  const [fault] = outputSchema ? await valueFaults(outputSchema, output, at.compute) : [];
  if (fault === undefined) return output;
  throw new NodeError('model.invalid_output', `${label}the answer does not fit output_schema: ${fault}.`);
}
