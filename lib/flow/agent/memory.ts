// What an agent keeps between its steps, as plain JSON in the snapshot: the conversation so far, and how far the tools of the last turn have come.
import * as z from 'zod';
import { json } from '../nodes/node-type.ts';
import type { ModelMessage } from '../ports.ts';

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: json })),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), name: z.string(), content: z.string() }),
]);

/** One use of a tool. Without a result it is still to be done, or on its way. */
const use = z.object({
  id: z.string(),
  name: z.string(),
  arguments: json,
  /** Where it goes, from the first look on: what was approved is what is done. */
  target: z.string().nullable(),
  approval: z.enum(['approved', 'denied']).nullable(),
  /** What the tool keeps while it waits. */
  kept: json,
  result: z.string().nullable(),
});
export type Use = z.infer<typeof use>;

export const conversation = z.object({
  turns: z.int(),
  messages: z.array(message),
  /** Those of the last turn, until all have a result. */
  uses: z.array(use),
});
export type Conversation = z.infer<typeof conversation>;

export const agentMemory = z.object({
  conversation,
  captured: z.record(z.string(), json),
  /** The use that has put the question for which the run waits. */
  asking: z.string().nullable(),
});
export type AgentMemory = z.infer<typeof agentMemory>;

export const newConversation = (content: string): Conversation => ({
  turns: 0,
  messages: [{ role: 'user', content }],
  uses: [],
});

/** A copy: the conversation grows while a model may still be reading. */
export const modelMessages = ({ messages }: Conversation): readonly ModelMessage[] => [...messages];
