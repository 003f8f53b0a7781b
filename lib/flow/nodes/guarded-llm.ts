// What an `llm` node with guardrails remembers while a flow checks a text: which builds it has called, and the answer of
// the model, so that a run that is resumed asks neither again. Loaded with the node type.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { NodeContext, Paused } from '../engine/node-context.ts';
import { json } from '../format/node-fields.ts';
import type { SaidMessage } from './conversation-field.ts';
import type { Guarding, PassText } from './guarding.ts';

const guardedMemory = /* @__PURE__ */ lazy(() =>
  z.object({
    builds: z.record(z.string(), json()),
    /** A further attempt asks the model again. */
    answer: z.exactOptional(z.object({ attempt: z.int(), model: z.string(), output: json() })),
  }),
);

interface KeptAnswer {
  readonly model: string;
  readonly output: Json;
}

export interface GuardedExecution extends Guarding {
  /** The answer of this attempt. `ask` is called if there is none yet. */
  readonly answer: (ask: () => Promise<KeptAnswer>) => Promise<KeptAnswer>;
  readonly paused: () => Paused;
}

export function openGuarded(context: NodeContext): GuardedExecution {
  const { attempt } = context;
  const memory = guardedMemory().safeParse(context.memory).data ?? { builds: {} };
  return {
    context,
    prefix: '',
    recall: (name) => ({
      value: memory.builds[name],
      keep: (build) => {
        memory.builds[name] = build;
        return context.remember(memory);
      },
    }),
    answer: async (ask) => {
      if (memory.answer?.attempt === attempt) return memory.answer;
      const { model, output } = await ask();
      memory.answer = { attempt, model, output };
      return memory.answer;
    },
    paused: () => ({ pause: { kind: 'inside' }, memory }),
  };
}

/** Each message by itself. Undefined while a flow that checks one is paused. */
export async function passMessages(
  pass: PassText | undefined,
  messages: readonly SaidMessage[],
  guarding: Guarding,
): Promise<readonly SaidMessage[] | undefined> {
  if (!pass) return messages;
  const passed: SaidMessage[] = [];
  for (const { role, content } of messages) {
    const text = await pass('input', content, guarding);
    if (text === undefined) return undefined;
    passed.push({ role, content: text });
  }
  return passed;
}
