// The guardrails of an agent: its first message, its answer, and what its tools say to the caller and hear from it.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { passAnswer, passValue } from '../nodes/guarded-answer.ts';
import type { Guarding, PassText } from '../nodes/guarding.ts';
import type { LoopEnd } from './loop.ts';
import type { AgentMemory } from './memory.ts';
import type { AgentExecution } from './tool.ts';

type Completed = Extract<LoopEnd, { readonly status: 'completed' }>;

export interface AgentGuard {
  readonly guard: AgentExecution['guard'];
  /** Checks the first message once. False while a flow that checks it is paused. */
  readonly passInput: () => Promise<boolean>;
  /** The answer of this attempt, if a flow checks it already. */
  readonly findAnswer: () => Completed | undefined;
  /** Undefined while a flow that checks the answer is paused. */
  readonly passAnswer: (end: Completed, schema: JsonObject | undefined) => Promise<Completed | undefined>;
}

/** Its memory is that of the agent: storing the build of a flow also stores the answer that the flow checks. */
export function openGuard(pass: PassText, memory: AgentMemory, context: NodeContext): AgentGuard {
  memory.guard ??= { is_input_checked: false, builds: {} };
  const { guard: kept } = memory;
  const { attempt } = context;
  const guarding = (prefix = ''): Guarding => ({
    context,
    prefix,
    recall: (name) => ({
      value: kept.builds[name],
      keep: (build: Json) => {
        kept.builds[name] = build;
        return context.remember(memory);
      },
    }),
  });
  return {
    guard: (side, value, key) => passValue(pass, side, value, guarding(`${key}_`)),
    passInput: async () => {
      if (kept.is_input_checked) return true;
      const input = await pass('input', memory.input ?? '', guarding());
      if (input === undefined) return false;
      kept.is_input_checked = true;
      replaceInput(memory, input);
      return true;
    },
    findAnswer: () => {
      if (kept.answer?.attempt !== attempt) return undefined;
      const { output, turns, finish_reason } = kept.answer;
      return { status: 'completed', output, turns, finishReason: finish_reason ?? undefined };
    },
    passAnswer: async (end, schema) => {
      const { output, turns, finishReason: finish_reason = null } = end;
      kept.answer = { attempt, output, turns, finish_reason };
      const passed = await passAnswer(pass, output, schema, guarding());
      return passed && { ...end, output: passed.value };
    },
  };
}

/** The first message of this run is the last one that the conversation begins with. */
function replaceInput(memory: AgentMemory, input: string): void {
  const first = memory.conversation.messages.findLast(({ role }) => role === 'user');
  if (first) first.content = input;
  memory.input = input;
}
