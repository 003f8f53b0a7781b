// The turns of an agent: the model calls tools until it answers. Each turn is stored, so that a run that is
// resumed elsewhere repeats none.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import type { CallerText } from '../engine/caller-text.ts';
import type { Render } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import { askModels } from '../nodes/ask-models.ts';
import type { ModelSettings, OnCut } from '../nodes/model-settings.ts';
import type { DeclaredModel } from '../nodes/node-type.ts';
import type { FinishReason, ModelAnswer, ToolChoice } from '../ports/model.ts';
import { halve } from './compaction.ts';
import { addTurn, type Conversation, modelMessages } from './memory.ts';
import { type AgentExecution, type PausedTurn, pausedTurn, type ToolSource } from './tool.ts';
import { describeLastCalls, findToolChoice, lastTurn, requireChosenTool } from './tool-choice.ts';
import { openToolbox, type Toolbox } from './toolbox.ts';
import { useTools } from './use-tools.ts';

/** An agent, prepared once for all runs of the flow. */
export interface Loop {
  /** Prefix of its log entries. */
  readonly label: string;
  readonly instructions: Render;
  readonly choices: readonly DeclaredModel[];
  readonly settings: ModelSettings;
  readonly onCut: OnCut;
  readonly sources: readonly ToolSource[];
  readonly maxTurns: number;
  /** Whether the model must answer after that many turns, in one more. */
  readonly answersAtEnd: boolean;
  readonly toolChoice: ToolChoice;
  readonly outputSchema: JsonObject | undefined;
  /** Whether its text goes to the caller. The text of its child agents never does. */
  readonly isStreamed: boolean;
  /** Whether its answer is checked before anybody sees it. */
  readonly hidesAnswer: boolean;
}

export type LoopEnd =
  | {
      readonly status: 'completed';
      readonly output: Json;
      readonly turns: number;
      readonly finishReason: FinishReason | undefined;
    }
  | PausedTurn;

/** Begins or continues the conversation, which it modifies. */
export async function runLoop(
  loop: Loop,
  conversation: Conversation,
  execution: AgentExecution,
): Promise<LoopEnd> {
  const { context } = execution;
  const unavailable: string[] = [];
  const toolbox = await openToolbox(loop.sources, context, { found: conversation.found, unavailable });
  const system = addUnavailable(asText(await loop.instructions(context.at)), unavailable);
  const callerText = loop.isStreamed ? context.callerText() : undefined;
  for (;;) {
    if (conversation.uses.length > 0) {
      const { label, outputSchema } = loop;
      const paused = await useTools({ toolbox, conversation, label, outputSchema }, execution);
      if (paused) return paused;
    }
    if (conversation.final) return endWith(conversation.final.value, conversation, callerText);
    if (conversation.turns >= loop.maxTurns && !loop.answersAtEnd) throw tooManyTurns(loop);
    if (context.isOver()) return pausedTurn;
    const { output, tool_calls, finish_reason } = await askForTurn(
      loop,
      { conversation, toolbox, system, callerText },
      execution,
    );
    if (!tool_calls) {
      callerText?.end(asText(output));
      return {
        status: 'completed',
        output,
        turns: conversation.turns + 1,
        finishReason: finish_reason,
      };
    }
    await execution.keep();
  }
}

/** A tool has ended the agent. */
function endWith(output: Json, { turns }: Conversation, callerText: CallerText | undefined): LoopEnd {
  endText(output, callerText);
  return { status: 'completed', output, turns, finishReason: undefined };
}

/** An object that a tool gives is no text. */
export const endText = (output: Json, callerText: CallerText | undefined): void =>
  callerText?.end(typeof output === 'string' ? output : '');

const tooManyTurns = ({ label, maxTurns }: Loop, reason?: string) =>
  new NodeError(
    'agent.max_turns',
    `${label}no answer after ${maxTurns} turns${reason === undefined ? '' : `: ${reason}`}.`,
  );

/** A model does not promise what it has no tool for. */
const addUnavailable = (instructions: string, unavailable: readonly string[]): string =>
  unavailable.length === 0
    ? instructions
    : `${instructions}\n\nNot available at the moment: ${unavailable.join(', ')}.`;

interface TurnInput {
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly system: string;
  readonly callerText: CallerText | undefined;
}

async function askForTurn(
  loop: Loop,
  { conversation, toolbox, system, callerText }: TurnInput,
  execution: AgentExecution,
): Promise<ModelAnswer> {
  const { context } = execution;
  const { label, choices, settings, onCut, outputSchema, maxTurns, hidesAnswer } = loop;
  const tools = [...toolbox.values()].map(({ declaration }) => declaration);
  const isLast = conversation.turns >= maxTurns;
  const tool_choice = findToolChoice(loop, conversation, toolbox);
  const asked = {
    system: isLast ? `${system}\n\n${lastTurn}` : system,
    ...(outputSchema && { output_schema: outputSchema }),
    ...(tools.length > 0 && { tools, ...(tool_choice !== 'auto' && { tool_choice }) }),
  };
  // Each call of the model is a turn, also one in which it corrects its answer.
  const takeTurn = () => {
    const isLeft = conversation.turns + 1 < maxTurns;
    if (isLeft) conversation.turns++;
    return isLeft;
  };
  const asking = { choices, context, settings, onCut, takeCorrection: takeTurn, callerText, hidesAnswer };
  const ask = () => askModels({ ...asked, messages: modelMessages(conversation) }, asking);
  const answer = await ask().catch(async (error: unknown) => {
    if (!isContextExceeded(error) || !takeTurn() || !halve(conversation, context, label)) throw error;
    await execution.keep();
    return await ask();
  });
  const { tool_calls } = answer;
  const wanted = tool_calls?.map(({ name }) => truncate(name, 64)).join(', ');
  const outcome = wanted === undefined ? 'answers' : `wants ${wanted}`;
  context.note({
    event: 'turn',
    message: `${label}${isLast ? 'last turn' : `turn ${conversation.turns + 1} of ${maxTurns}`} (${answer.model}): ${outcome}`,
    tokens: answer.tokens,
    ...(answer.finish_reason && { finish_reason: answer.finish_reason }),
  });
  if (isLast && tool_calls) throw tooManyTurns(loop, describeLastCalls(answer));
  requireChosenTool(tool_choice, answer);
  // The turn with the answer is not stored: a run that is resumed before the node has ended repeats it.
  if (tool_calls) addTurn(conversation, { ...answer, tool_calls });
  return answer;
}

const isContextExceeded = (error: unknown) =>
  error instanceof NodeError && error.code === 'model.context_exceeded';
