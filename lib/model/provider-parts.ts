// What a provider wants back with a turn in which it has called tools: its reasoning, perhaps signed, and marks on its calls. Made of the SDK's
// parts and turned into them again here; the engine keeps it with the conversation and never looks inside. Types of the SDK only.
import type { MetadataExtractor } from '@ai-sdk/openai-compatible';
import type { AssistantContent } from 'ai';
import * as z from 'zod';
import type { ToolCall } from '#lib/flow/ports/model.ts';
import { type Json, json } from '#lib/json/json.ts';

/** Of one provider each, such as the signature of what it has thought. */
const providerMetadata = z.exactOptional(z.record(z.string(), z.record(z.string(), json)));

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reasoning'), text: z.string(), providerMetadata }),
  z.object({ type: z.literal('text'), text: z.string().min(1), providerMetadata }),
  z.object({ type: z.literal('tool-call'), toolCallId: z.string(), providerMetadata }),
]);
type Part = z.infer<typeof part>;

/** In the order in which the model gave them, because signatures may cover it. */
const kept = z.object({ model: z.string(), parts: z.array(part) });

interface Given {
  readonly content: readonly unknown[];
  /** Of the whole turn. */
  readonly providerMetadata: unknown;
}

/** Undefined for most turns: what the engine keeps of the conversation is then all there is. */
export function providerPartsOf(turn: Given, model: string): Json | undefined {
  const isPlainWanted = wantsPlainReasoning.safeParse(turn.providerMetadata).success;
  const parts = turn.content
    .flatMap((one) => part.safeParse(JSON.parse(JSON.stringify(one))).data ?? [])
    .filter((one) => one.type !== 'reasoning' || one.providerMetadata !== undefined || isPlainWanted);
  const isSpecial = ({ type, providerMetadata: marks }: Part) => type === 'reasoning' || marks !== undefined;
  return parts.some(isSpecial) ? { model, parts } : undefined;
}

type Content = Exclude<AssistantContent, string>;

/** Undefined when they are those of another model, which could not read them. */
export function contentAgain(
  provider_parts: Json,
  model: string,
  calls: readonly ToolCall[],
): Content | undefined {
  const { data } = kept.safeParse(provider_parts);
  if (data?.model !== model) return undefined;
  return data.parts.flatMap((one) => contentOf(one, calls) ?? []);
}

function contentOf(one: Part, calls: readonly ToolCall[]): Content[number] | undefined {
  const marks = one.providerMetadata && { providerOptions: one.providerMetadata };
  if (one.type !== 'tool-call') return { type: one.type, text: one.text, ...marks };
  const { type, toolCallId } = one;
  const call = calls.find(({ id }) => id === toolCallId);
  return call && { type, toolCallId, toolName: call.name, input: call.arguments, ...marks };
}

const wantsPlainReasoning = z.object({ reasoning: z.object({ isContent: z.literal(true) }) });

const named = z.object({ reasoning_content: z.string().min(1) });
const namesReasoningContent = z.object({
  choices: z.tuple([z.union([z.object({ message: named }), z.object({ delta: named })])], z.unknown()),
});

const isContent = { reasoning: { isContent: true } };

/** Whether the answer has `reasoning_content`: who names it so takes it back under this name. Others may refuse a message that has it. */
export const reasoningExtractor: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) =>
    namesReasoningContent.safeParse(parsedBody).success ? isContent : undefined,
  createStreamExtractor: () => {
    let isFound = false;
    return {
      processChunk: (chunk) => {
        isFound ||= namesReasoningContent.safeParse(chunk).success;
      },
      buildMetadata: () => (isFound ? isContent : undefined),
    };
  },
};
