// Parts of a turn with tool calls that a provider expects back in the next request: its reasoning, possibly
// signed, and metadata of its calls. They are converted from and to the parts of the SDK here; the engine
// stores them unread with the conversation. Only types of the SDK are imported.
import type { MetadataExtractor } from '@ai-sdk/openai-compatible';
import type { AssistantContent } from 'ai';
import * as z from 'zod';
import type { ToolCall } from '#lib/flow/ports/model.ts';
import { type Json, json } from '#lib/json/json.ts';

/** By provider, such as the signature of its reasoning. */
const providerMetadata = z.exactOptional(z.record(z.string(), z.record(z.string(), json)));

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reasoning'), text: z.string(), providerMetadata }),
  z.object({ type: z.literal('text'), text: z.string().min(1), providerMetadata }),
  z.object({ type: z.literal('tool-call'), toolCallId: z.string(), providerMetadata }),
]);
type Part = z.infer<typeof part>;

/** In the order of the response, because signatures may cover the order. */
const kept = z.object({ model: z.string(), parts: z.array(part) });

interface ProviderTurn {
  readonly content: readonly unknown[];
  /** The metadata of the whole turn. */
  readonly providerMetadata: unknown;
}

/** Undefined for most turns, whose messages contain all that the next request needs. */
export function toProviderParts(turn: ProviderTurn, model: string): Json | undefined {
  const isPlainWanted = wantsPlainReasoning.safeParse(turn.providerMetadata).success;
  const parts = turn.content
    .flatMap((one) => part.safeParse(JSON.parse(JSON.stringify(one))).data ?? [])
    .filter((one) => one.type !== 'reasoning' || one.providerMetadata !== undefined || isPlainWanted);
  const isSpecial = ({ type, providerMetadata: marks }: Part) => type === 'reasoning' || marks !== undefined;
  return parts.some(isSpecial) ? { model, parts } : undefined;
}

type Content = Exclude<AssistantContent, string>;

/** Undefined when the parts came from another model, whose format differs. */
export function restoreContent(
  provider_parts: Json,
  model: string,
  calls: readonly ToolCall[],
): Content | undefined {
  const { data } = kept.safeParse(provider_parts);
  if (data?.model !== model) return undefined;
  return data.parts.flatMap((one) => restorePart(one, calls) ?? []);
}

function restorePart(one: Part, calls: readonly ToolCall[]): Content[number] | undefined {
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

/**
 * Detects `reasoning_content` in responses: providers that send it accept it back, others may refuse messages
 * that contain it.
 */
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
