// What an agent remembers between its steps, as plain JSON in the snapshot: the conversation so far, and the
// uses of tools of the last turn.
import * as z from 'zod';
import { jsonBytes } from '#lib/json/size.ts';
import { truncate } from '#lib/truncate.ts';
import { asText } from '../expression/text.ts';
import type { FileReference } from '../format/file.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { json } from '../format/node-fields.ts';
import type { RemoteContexts } from '../format/remote-contexts.ts';
import type { SaidMessage } from '../nodes/conversation-field.ts';
import { finishReasons, type ModelAnswer, type ModelMessage, type ToolCall } from '../ports/model.ts';
import { passage } from './citations.ts';

const labels = { name: z.exactOptional(z.string()), media_type: z.exactOptional(z.string()) };
const fileReference = z.union([
  z.object({ file: z.string(), ...labels }),
  z.object({ part: z.number(), ...labels }),
  z.object({ raw: z.string(), ...labels }),
]);

const message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: z.string(),
    files: z.exactOptional(z.array(fileReference)),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: json() })),
    provider_parts: z.exactOptional(json()),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), name: z.string(), content: z.string() }),
]);

/** One use of a tool. Without a result it is pending. */
const use = z.object({
  id: z.string(),
  name: z.string(),
  arguments: json(),
  /** The target when the tool was first looked up, so that what was approved is what is executed. */
  target: z.string().nullable(),
  approval: z.enum(['approved', 'denied']).nullable(),
  /** Why the use was denied. */
  reason: z.string().nullable().default(null),
  /** Whether whoever approved the use has changed the arguments. */
  isEdited: z.boolean().default(false),
  /** What the tool remembers while it waits. */
  kept: json(),
  result: z.string().nullable(),
  /** What its tool assigns; kept with the result until the turn is over. */
  assigned: z.record(z.string(), json()).default({}),
  /** The result with which the agent ends. */
  final: z.object({ value: json() }).nullable().default(null),
  /** The conversation with another agent; the next turns continue it. */
  remote: z
    .object({ agent: z.string(), connection: z.string().nullable(), context_id: z.string().nullable() })
    .nullable()
    .default(null),
});
export type Use = z.infer<typeof use>;

/**
 * Registry agents among which the model chooses with a tool. They are searched for once, so that the tool
 * does not change during the conversation.
 */
const found = z.object({
  tool: z.string(),
  agents: z.array(z.object({ agent: z.string(), name: z.string(), description: z.string() })),
});
export type DiscoveredAgents = z.infer<typeof found>;

export const conversation = z.object({
  turns: z.int(),
  messages: z.array(message),
  /** The uses of the last turn, until all have a result. */
  uses: z.array(use),
  /** Snapshots of earlier releases lack it. */
  found: z.array(found).default([]),
  contexts: z.record(z.string(), z.string()).default({}),
  /** How many questions the model has asked. */
  questions: z.int().default(0),
  /** The oldest turns that were removed to make room. */
  dropped_turns: z.int().default(0),
  /** The result of a tool that ends the agent. */
  final: z.object({ value: json() }).nullable().default(null),
});
export type Conversation = z.infer<typeof conversation>;

export const agentMemory = z.object({
  conversation,
  captured: z.record(z.string(), json()),
  /** The key of the use whose question the run waits for. */
  asking: z.string().nullable(),
  /** The answer to that question, until the use has taken it: the invocation may be over before that. */
  answer: z.object({ value: json() }).nullable().default(null),
  /** What tools of kind `knowledge` have found, for the agent and its child agents. */
  passages: z.array(passage).default([]),
  /** The message that began this turn of a stored conversation. */
  input: z.exactOptional(z.string()),
  /** With guardrails. */
  guard: z.exactOptional(
    z.object({
      is_input_checked: z.boolean(),
      /** Of the flows that check texts, by call. */
      builds: z.record(z.string(), json()),
      /** The answer while a flow checks it. A further attempt asks the model again. */
      answer: z.exactOptional(
        z.object({
          attempt: z.int(),
          output: json(),
          turns: z.int(),
          finish_reason: z.enum(finishReasons).nullable(),
        }),
      ),
    }),
  ),
});
export type AgentMemory = z.infer<typeof agentMemory>;

type FirstMessage = SaidMessage & { readonly files?: readonly FileReference[] };

export const newConversation = (said: readonly FirstMessage[], contexts: RemoteContexts): Conversation => ({
  turns: 0,
  messages: said.map(({ role, content, files }) =>
    role === 'user'
      ? { role, content, ...(files && { files: [...files] }) }
      : { role, content, tool_calls: [] },
  ),
  uses: [],
  found: [],
  contexts,
  questions: 0,
  dropped_turns: 0,
  final: null,
});

type ToolCallTurn = Pick<ModelAnswer, 'output' | 'provider_parts'> & {
  readonly tool_calls: readonly ToolCall[];
};

/** Adds a turn with tool calls in one step: a snapshot may be taken at any time. */
export function addTurn(current: Conversation, { output, tool_calls, provider_parts }: ToolCallTurn): void {
  current.turns++;
  current.uses = tool_calls.map(createUse);
  current.messages.push({
    role: 'assistant',
    content: asText(output),
    tool_calls: tool_calls.map(toPlainCall),
    ...(provider_parts !== undefined && { provider_parts }),
  });
  forgetOldParts(current);
}

/** No provider accepts a call in the next turn whose arguments are no object. */
const toPlainCall = ({ id, name, arguments: args }: ToolCall) => ({
  id,
  name,
  arguments: isObject(args) ? args : {},
});

const createUse = ({ id, name, arguments: args }: ToolCall, index: number): Use => ({
  id,
  name,
  arguments: isObject(args) ? args : truncate(asText(args), limits.toolArgumentsBytes + 1),
  target: null,
  approval: null,
  reason: null,
  isEdited: false,
  assigned: {},
  final: null,
  kept: null,
  remote: null,
  result:
    index < limits.toolUsesPerTurnMax
      ? null
      : `Error: at most ${limits.toolUsesPerTurnMax} tools in one turn.`,
});

/** Providers require those of the last turn. If a conversation becomes too large, the oldest are removed. */
function forgetOldParts({ messages }: Conversation): void {
  const max = limits.providerPartsBytes;
  let bytes = 0;
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant' || message.provider_parts === undefined) continue;
    bytes += jsonBytes(message.provider_parts, max);
    if (bytes > max) delete message.provider_parts;
  }
}

/**
 * A copy, because the conversation grows while a model may still read it. It says after the first message how many turns
 * are missing.
 */
export function modelMessages({ messages, dropped_turns: count }: Conversation): readonly ModelMessage[] {
  if (count === 0) return [...messages];
  const [first, ...rest] = messages;
  const content = `[Dropped to make room in the conversation: the ${count} oldest turns, in which you used tools.]`;
  return [...(first ? [first] : []), { role: 'user', content }, ...rest];
}
