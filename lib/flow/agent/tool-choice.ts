// Which tools the model must or must not use in a turn.
import { truncate } from '#lib/truncate.ts';
import { NodeError } from '../format/node-error.ts';
import type { ModelAnswer, ToolChoice } from '../ports/model.ts';
import type { Conversation } from './memory.ts';
import type { Toolbox } from './toolbox.ts';

interface ChoosingLoop {
  readonly toolChoice: ToolChoice;
  readonly maxTurns: number;
  /** Prefix of error messages. */
  readonly label: string;
}

/**
 * The choice of the flow is for the first turn: with it in all of them, an agent would never answer. Throws
 * `agent.no_tool`.
 */
export function findToolChoice(
  { toolChoice, maxTurns, label }: ChoosingLoop,
  { turns }: Conversation,
  toolbox: Toolbox,
): ToolChoice {
  if (turns >= maxTurns) return 'none';
  if (turns > 0) return 'auto';
  const isKnown =
    typeof toolChoice === 'string'
      ? toolChoice !== 'required' || toolbox.size > 0
      : toolbox.has(toolChoice.tool);
  if (isKnown) return toolChoice;
  const missing = typeof toolChoice === 'string' ? 'tool' : `tool "${toolChoice.tool}"`;
  throw new NodeError('agent.no_tool', `${label}tool_choice: the agent has no ${missing} at the moment.`);
}

/** Part of the instructions of the turn after the last one. */
export const lastTurn =
  'This is your last turn: answer now, with what you know. Tools cannot be used any more.';

/** Some models cannot be forced, and others ignore it. */
export function requireChosenTool(choice: ToolChoice, { tool_calls = [], model }: ModelAnswer): void {
  const names = tool_calls.map(({ name }) => name);
  if (isKept(choice, names)) return;
  const asked = typeof choice === 'string' ? choice : `the tool "${choice.tool}"`;
  const did = names.length === 0 ? 'answered without a tool' : `called ${listCalls(names)}`;
  const expected = choice === 'none' ? 'an answer without tools' : 'a call';
  throw new NodeError(
    'model.bad_answer',
    `${model} ${did}, and tool_choice is ${asked}: expected ${expected}.`,
  );
}

const listCalls = (names: readonly string[]): string => truncate(names.join(', '), 200);

/** What a model did that cannot be forced to answer in its last turn. */
export const describeLastCalls = ({ tool_calls = [], model }: ModelAnswer): string =>
  `in the last turn, in which no tool can be used, ${model} called ${listCalls(tool_calls.map(({ name }) => name))}`;

function isKept(choice: ToolChoice, names: readonly string[]): boolean {
  if (typeof choice === 'object') return names.includes(choice.tool);
  return choice === 'auto' || names.length > 0 === (choice === 'required');
}
