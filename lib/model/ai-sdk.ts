// Calls a model through the AI SDK: one request, one turn, no retries and no tool execution (the engine has
// its own). Import this file lazily only: the SDK is larger than the rest of a function.
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, InvalidResponseDataError, isStepCount, jsonSchema, Output, streamText } from 'ai';
import type { EgressLimits, GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { toTokens } from '#lib/flow/format/tokens.ts';
import type { FinishReason, ModelAnswer, ModelRequest, ToolDeclaration } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { Secret } from '#lib/secret.ts';
import { type ModelTurn, toModelAnswer } from './answer.ts';
import { markedSystem, markLastMessage } from './cache-marks.ts';
import type { ModelEntry } from './catalog.ts';
import { rewriteAnswer, withExactArguments } from './exact-arguments.ts';
import { modelFailure, streamFailure } from './failure.ts';
import { type ReadFile, readFiles } from './files.ts';
import { guardrailOptions, isMasked, refuseIntervened } from './guardrail.ts';
import { sdkMessages } from './messages.ts';
import { reasoningExtractor, toProviderParts } from './provider-parts.ts';
import { refuseIgnored, refuseSettings, toSdkSettings } from './settings.ts';
import { withToolChoice } from './tool-choice.ts';
import { toEventStream } from './whole-answer.ts';

export interface ModelTarget {
  readonly entry: ModelEntry;
  readonly key: Secret | undefined;
  readonly fetch: GuardedFetch;
  readonly readFile: ReadFile | undefined;
}

/**
 * Models may think for long before the first byte. The call's signal ends what takes too long for the run.
 */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000, requestBytesMax: 4 * 1024 ** 2 };
/** In base64, files have a third more. */
const fileRequestBytesMax = 40 * 1024 ** 2;
/** A stream wraps every few characters in about a hundred bytes. */
const streamLimits = { ...limits, responseBytesMax: 32 * 1024 ** 2 };

// The SDK would print warnings to the console instead of the structured log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Throws `NodeError` (see `modelFailure` and `toModelAnswer`). */
export async function callModel(
  target: ModelTarget,
  request: ModelRequest,
  call: NodeCall,
): Promise<ModelAnswer> {
  // A partial object is of no use, so objects are not streamed.
  const onText = request.output_schema ? undefined : call.onText;
  const name = modelName(target.entry);
  try {
    refuseSettings(target.entry, request, name);
    const isMarked = request.cache === true && target.entry.provider === 'bedrock';
    const { entry, readFile } = target;
    const files = await readFiles(request.messages, { entry, model: name, readFile, signal: call.signal });
    const messages = sdkMessages(request.messages, name, files);
    const { system } = request;
    let kept = 0;
    const noteKept = (count: number) => {
      kept += count;
    };
    const transfer = { isStreamed: onText !== undefined, hasFiles: files.size > 0, noteKept };
    const provided = languageModel(target, transfer);
    const modelCall = {
      ...toSettings(request),
      ...(system !== undefined && { instructions: isMarked ? markedSystem(system) : system }),
      model: withExactArguments(withToolChoice(provided, request, entry)),
      messages: isMarked ? markLastMessage(messages) : messages,
      stopWhen: isStepCount(1),
      maxRetries: 0,
      abortSignal: call.signal,
      providerOptions: { ...providerOptions, ...guardrailOptions(entry, onText !== undefined) },
    };
    const step = onText ? await streamedStep(modelCall, onText, name) : await wholeStep(modelCall);
    const turn = { ...toTurn(step, name), kept };
    refuseIgnored(step.warnings, name, turn.tokens);
    refuseIntervened(step, name, turn.tokens);
    return toModelAnswer(turn, request, name);
  } catch (error) {
    throw modelFailure(error, target, call);
  }
}

type ModelCall = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0];

type Step = Awaited<ReturnType<typeof generateText>>['finalStep'];

async function wholeStep(modelCall: ModelCall): Promise<Step> {
  const result = await generateText(modelCall);
  return result.finalStep;
}

/** A truncated stream closes like any other. Only a finish reason shows that the turn is complete. */
async function streamedStep(
  modelCall: ModelCall,
  onText: (piece: string) => void,
  name: string,
): Promise<Step> {
  const result = streamText({ ...modelCall, onError: () => undefined });
  for await (const part of readParts(result.stream)) {
    if (part.type === 'start-step') refuseIgnored(part.warnings, name);
    if (part.type === 'text-delta' && part.text !== '') onText(part.text);
  }
  const step = await result.finalStep;
  if (step.rawFinishReason !== undefined) return step;
  throw new InvalidResponseDataError({
    data: undefined,
    message: 'The stream ended without a reason to stop.',
  });
}

/** Errors arrive as a part of the stream or break it. What the consumer throws is not caught here. */
async function* readParts(stream: ReturnType<typeof streamText>['stream']) {
  try {
    for await (const part of stream) {
      if (part.type === 'error') throw part.error;
      yield part;
    }
  } catch (error) {
    throw streamFailure(error);
  }
}

function toTurn(step: Step, model: string): Omit<ModelTurn, 'kept'> {
  const { text, toolCalls, usage } = step;
  return {
    text,
    toolCalls,
    finishReason: toFinishReason(step),
    tokens: toTokens({
      input: usage.inputTokens ?? 0,
      output: usage.outputTokens ?? 0,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      cache_write: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    }),
    providerParts: toolCalls.length > 0 ? toProviderParts(step, model) : undefined,
  };
}

const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  error: 'error',
  interrupted: 'other',
  other: 'other',
} as const satisfies Record<Step['finishReason'], FinishReason>;

/** Claude reports the end of its context by a name of its own, which the SDK does not map. */
function toFinishReason(step: Step): FinishReason {
  if (step.rawFinishReason === 'model_context_window_exceeded') return 'length';
  return isMasked(step) ? 'stop' : finishReasons[step.finishReason];
}

function toSettings(request: ModelRequest) {
  const { output_schema, tools } = request;
  return {
    ...toSdkSettings(request),
    ...(output_schema && { output: objectAsText(output_schema) }),
    ...(tools && tools.length > 0 && { tools: Object.fromEntries(tools.map(declared)) }),
  };
}

/**
 * Requests an object but leaves its text unparsed: an invalid answer has a cost too, which only the complete
 * turn contains.
 */
const objectAsText = (schema: JsonObject) => ({
  ...Output.object({ schema: jsonSchema(schema) }),
  parseCompleteOutput: async ({ text }: { text: string }) => text,
});

/** Without `execute`, so that the turn ends with the tool calls. */
const declared = ({ name, description, parameters }: ToolDeclaration) =>
  [name, { description, inputSchema: jsonSchema(parameters) }] as const;

/**
 * Strict schemas must list every property as required. Schemas of flows need not, and the answer is validated
 * here anyway.
 */
const providerOptions = { openaiCompatible: { strictJsonSchema: false } };

interface Transfer {
  readonly isStreamed: boolean;
  readonly hasFiles: boolean;
  /** Called with the number of integers that became text. */
  readonly noteKept: (count: number) => void;
}

function languageModel({ entry, key, fetch }: ModelTarget, { isStreamed, hasFiles, noteKept }: Transfer) {
  if (entry.provider === 'bedrock') {
    // Reads the role's credentials (AWS_ACCESS_KEY_ID, …) and AWS_ENDPOINT_URL_BEDROCK_RUNTIME from the
    // environment at each request.
    return createAmazonBedrock({ fetch: awsFetch(noteKept), ...(entry.region && { region: entry.region }) })(
      entry.model,
    );
  }
  const fetchLimits = {
    ...(isStreamed ? streamLimits : limits),
    ...(hasFiles && { requestBytesMax: fileRequestBytesMax }),
  };
  return createOpenAICompatible({
    name: 'compatible',
    metadataExtractor: reasoningExtractor,
    baseURL: entry.base_url,
    supportsStructuredOutputs: true,
    includeUsage: true,
    fetch: async (input, init) => {
      const response = await fetch(input, { ...init, limits: fetchLimits });
      return isStreamed ? await toEventStream(response) : response;
    },
    ...(key && { apiKey: key.reveal() }),
  })(entry.model);
}

/**
 * Not guarded: the address comes from AWS and the environment, never from a flow, and is private behind a VPC
 * endpoint.
 */
const awsFetch =
  (noteKept: Transfer['noteKept']): typeof globalThis.fetch =>
  async (input, init) =>
    await rewriteAnswer(await globalThis.fetch(input, { ...init, redirect: 'error' }), noteKept);

const modelName = (entry: ModelEntry) => `${entry.provider}/${entry.model}`;
