// What an agent keeps between its steps, as plain JSON in the snapshot: the conversation so far, and how far the tools of the last turn have come.
import * as z from 'zod';
import { jsonBytes } from '#lib/json/size.ts';
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { json } from '../format/node-fields.ts';
import type { ModelAnswer, ModelMessage, ToolCall } from '../ports/model.ts';

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: json() })),
    provider_parts: z.exactOptional(json()),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), name: z.string(), content: z.string() }),
]);

/** One use of a tool. Without a result it is still to be done, or on its way. */
const use = z.object({
  id: z.string(),
  name: z.string(),
  arguments: json(),
  /** Where it goes, from the first look on: what was approved is what is done. */
  target: z.string().nullable(),
  approval: z.enum(['approved', 'denied']).nullable(),
  /** What the tool keeps while it waits. */
  kept: json(),
  result: z.string().nullable(),
});
export type Use = z.infer<typeof use>;

/** Agents of the registry among which the model chooses with a tool: asked for once, so that the tool stays what it was. */
const found = z.object({
  tool: z.string(),
  agents: z.array(z.object({ agent: z.string(), name: z.string(), description: z.string() })),
});
export type Found = z.infer<typeof found>;

export const conversation = z.object({
  turns: z.int(),
  messages: z.array(message),
  /** Those of the last turn, until all have a result. */
  uses: z.array(use),
  /** Snapshots of earlier releases have none. */
  found: z.array(found).default([]),
});
export type Conversation = z.infer<typeof conversation>;

export const agentMemory = z.object({
  conversation,
  captured: z.record(z.string(), json()),
  /** The use that has put the question for which the run waits. */
  asking: z.string().nullable(),
  /** To that question, until something has come of it: the invocation may be over before the use gets it. */
  answer: z.object({ value: json() }).nullable().default(null),
});
export type AgentMemory = z.infer<typeof agentMemory>;

export const newConversation = (content: string): Conversation => ({
  turns: 0,
  messages: [{ role: 'user', content }],
  uses: [],
  found: [],
});

type Turn = Pick<ModelAnswer, 'output' | 'provider_parts'> & { readonly tool_calls: readonly ToolCall[] };

/** A turn in which the model wants tools, all at once: a snapshot may be taken at any time. */
export function addTurn(talk: Conversation, { output, tool_calls, provider_parts }: Turn): void {
  talk.turns++;
  talk.uses = tool_calls.map(newUse);
  talk.messages.push({
    role: 'assistant',
    content: asText(output),
    tool_calls: tool_calls.map(plain),
    ...(provider_parts !== undefined && { provider_parts }),
  });
  forgetOldParts(talk);
}

const plain = ({ id, name, arguments: args }: ToolCall) => ({ id, name, arguments: args });

const newUse = (call: ToolCall, index: number): Use => ({
  ...plain(call),
  target: null,
  approval: null,
  kept: null,
  result:
    index < limits.toolUsesPerTurnMax
      ? null
      : `Error: at most ${limits.toolUsesPerTurnMax} tools in one turn.`,
});

/** Providers insist on those of the last turn; of a conversation that has become too large, the oldest are forgotten. */
function forgetOldParts({ messages }: Conversation): void {
  const max = limits.providerPartsBytes;
  let bytes = 0;
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant' || message.provider_parts === undefined) continue;
    bytes += jsonBytes(message.provider_parts, max);
    if (bytes > max) delete message.provider_parts;
  }
}

/** A copy: the conversation grows while a model may still be reading. */
export const modelMessages = ({ messages }: Conversation): readonly ModelMessage[] => [...messages];
