// The AI SDK: one question, one turn, no retries and no tools run (the engine has its own). Import this file lazily only; what it pulls in
// is larger than the rest of a function together.
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  InvalidResponseDataError,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  Output,
  streamText,
} from 'ai';
import type { EgressLimits, GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { ModelAnswer, ModelRequest, ToolDeclaration } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { Secret } from '#lib/secret.ts';
import { answerOf, type Turn } from './answer.ts';
import type { ModelEntry } from './catalog.ts';
import { modelFailure, streamFailure } from './failure.ts';
import { sdkMessages } from './messages.ts';
import { providerPartsOf, reasoningExtractor } from './provider-parts.ts';

interface ModelTarget {
  readonly entry: ModelEntry;
  readonly key: Secret | undefined;
  readonly fetch: GuardedFetch;
}

/** Models think before the first byte; the call's signal ends what takes too long for the run. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000, requestBytesMax: 4 * 1024 ** 2 };
/** A stream wraps every few letters in some hundred bytes. */
const streamLimits = { ...limits, responseBytesMax: 32 * 1024 ** 2 };

// Its warnings would go to the console, past our structured log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Throws `NodeError` (see `modelFailure` and `answerOf`). */
export async function askModel(
  target: ModelTarget,
  request: ModelRequest,
  call: NodeCall,
): Promise<ModelAnswer> {
  // An object is of no use before it is whole.
  const onText = request.output_schema ? undefined : call.onText;
  const name = nameOf(target.entry);
  try {
    const question = {
      ...settingsOf(request),
      model: languageModel(target, onText ? streamLimits : limits),
      messages: sdkMessages(request.messages, name),
      stopWhen: isStepCount(1),
      maxRetries: 0,
      abortSignal: call.signal,
      providerOptions,
    };
    const step = onText ? await streamedStep(question, onText) : await wholeStep(question);
    return await answerOf(turnOf(step, name), request, name, call);
  } catch (error) {
    throw modelFailure(error, target, call);
  }
}

type Question = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0];

type Step = Awaited<ReturnType<typeof generateText>>['finalStep'];

async function wholeStep(question: Question): Promise<Step> {
  const result = await generateText(question);
  return result.finalStep;
}

/** A stream that was cut closes like any other. Only a reason to stop says that the model was done: half a text, or a call, is no turn. */
async function streamedStep(question: Question, onText: (piece: string) => void): Promise<Step> {
  const result = streamText({ ...question, onError: () => undefined });
  for await (const part of partsOf(result.stream))
    if (part.type === 'text-delta' && part.text !== '') onText(part.text);
  const step = await result.finalStep;
  if (step.rawFinishReason !== undefined) return step;
  throw new InvalidResponseDataError({
    data: undefined,
    message: 'The stream ended without a reason to stop.',
  });
}

/** What goes wrong on the way is a part of the stream, or breaks it. What its reader throws is not seen here. */
async function* partsOf(stream: ReturnType<typeof streamText>['stream']) {
  try {
    for await (const part of stream) {
      if (part.type === 'error') throw part.error;
      yield part;
    }
  } catch (error) {
    throw streamFailure(error);
  }
}

function turnOf(step: Step, model: string): Turn {
  const { text, toolCalls, finishReason, usage } = step;
  return {
    text,
    toolCalls,
    finishReason,
    tokens: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 },
    providerParts: toolCalls.length > 0 ? providerPartsOf(step, model) : undefined,
  };
}

function settingsOf({ system, temperature, max_tokens, reasoning, output_schema, tools }: ModelRequest) {
  return {
    ...(system !== undefined && { instructions: system }),
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }),
    ...(reasoning && { reasoning }),
    ...(output_schema && { output: textOfObject(output_schema) }),
    ...(tools && tools.length > 0 && { tools: Object.fromEntries(tools.map(declared)) }),
  };
}

/** Asks for the object and leaves its text as it is: an answer that cannot be used has a cost, which only the whole turn tells. */
const textOfObject = (schema: JsonObject) => ({
  ...Output.object({ schema: jsonSchema(schema) }),
  parseCompleteOutput: async ({ text }: { text: string }) => text,
});

/** Without `execute`: the turn ends with the calls. */
const declared = ({ name, description, parameters }: ToolDeclaration) =>
  [name, { description, inputSchema: jsonSchema(parameters) }] as const;

/** A strict schema must list every property as required; the schemas of flows need not, and the answer is checked here in any case. */
const providerOptions = { openaiCompatible: { strictJsonSchema: false } };

function languageModel(
  { entry, key, fetch }: ModelTarget,
  fetchLimits: Partial<EgressLimits>,
): LanguageModel {
  if (entry.provider === 'bedrock') {
    // Reads the role's credentials (AWS_ACCESS_KEY_ID, …) and AWS_ENDPOINT_URL_BEDROCK_RUNTIME from the environment at each request.
    return createAmazonBedrock({ fetch: awsFetch, ...(entry.region && { region: entry.region }) })(
      entry.model,
    );
  }
  return createOpenAICompatible({
    name: 'compatible',
    metadataExtractor: reasoningExtractor,
    baseURL: entry.base_url,
    supportsStructuredOutputs: true,
    includeUsage: true,
    fetch: (input, init) => fetch(input, { ...init, limits: fetchLimits }),
    ...(key && { apiKey: key.reveal() }),
  })(entry.model);
}

/** Not guarded: the address comes from AWS and the environment, never from a flow, and is private behind a VPC endpoint. */
const awsFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });

const nameOf = (entry: ModelEntry) => `${entry.provider}/${entry.model}`;
