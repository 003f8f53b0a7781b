// The AI SDK: one question, one answer, no tools and no retries (the engine has its own). Import this file lazily only; what it pulls in is
// larger than the rest of a function together.
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, type LanguageModel, Output } from 'ai';
import { NodeError } from '#lib/flow/node-error.ts';
import type { ModelAnswer, ModelRequest, NodeCall } from '#lib/flow/ports.ts';
import { schemaFaults } from '#lib/flow/schema/validate.ts';
import type { Json, JsonObject } from '#lib/json.ts';
import type { Secret } from '#lib/secret.ts';
import type { EgressLimits, GuardedFetch } from './guarded-fetch.ts';
import type { ModelEntry } from './model-catalog.ts';
import { modelFailure } from './model-failure.ts';

interface ModelTarget {
  readonly entry: ModelEntry;
  readonly key: Secret | undefined;
  readonly fetch: GuardedFetch;
}

/** Models think before the first byte; the call's signal ends what takes too long for the run. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000, requestBytesMax: 4 * 1024 ** 2 };

// Its warnings would go to the console, past our structured log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Throws `NodeError` (see `modelFailure`). */
export async function askModel(
  target: ModelTarget,
  request: ModelRequest,
  call: NodeCall,
): Promise<ModelAnswer> {
  const { entry } = target;
  const { output_schema } = request;
  try {
    const result = await generateText({
      ...settingsOf(request),
      model: languageModel(target),
      messages: request.messages.map(({ role, content }) => ({ role, content })),
      stopWhen: isStepCount(1),
      maxRetries: 0,
      abortSignal: call.signal,
      providerOptions,
      ...(output_schema && { output: Output.object({ schema: jsonSchema<Json>(output_schema) }) }),
    });
    if (result.finishReason === 'content-filter')
      throw new NodeError('model.refused', `${nameOf(entry)} refused to answer.`);
    if (output_schema) await checkAnswer(result.output, output_schema, entry);
    const { inputTokens = 0, outputTokens = 0 } = result.usage;
    return {
      output: result.output,
      model: nameOf(entry),
      tokens: { input: inputTokens, output: outputTokens },
    };
  } catch (error) {
    throw modelFailure(error, target, call);
  }
}

/** The SDK parses the object; whether it fits is left to its caller. */
async function checkAnswer(output: Json, schema: JsonObject, entry: ModelEntry): Promise<void> {
  const [fault] = await schemaFaults(schema, output);
  if (fault === undefined) return;
  throw new NodeError(
    'model.bad_answer',
    `${nameOf(entry)} did not answer with an object that matches output_schema: ${fault}.`,
  );
}

function settingsOf({ system, temperature, max_tokens }: ModelRequest) {
  return {
    ...(system !== undefined && { instructions: system }),
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }),
  };
}

/** A strict schema must list every property as required; the schemas of flows need not, and the answer is checked here in any case. */
const providerOptions = { openaiCompatible: { strictJsonSchema: false } };

function languageModel({ entry, key, fetch }: ModelTarget): LanguageModel {
  if (entry.provider === 'bedrock') {
    // Reads the role's credentials (AWS_ACCESS_KEY_ID, …) and AWS_ENDPOINT_URL_BEDROCK_RUNTIME from the environment at each request.
    return createAmazonBedrock({ fetch: awsFetch, ...(entry.region && { region: entry.region }) })(
      entry.model,
    );
  }
  return createOpenAICompatible({
    name: 'openaiCompatible',
    baseURL: entry.base_url,
    supportsStructuredOutputs: true,
    fetch: (input, init) => fetch(input, { ...init, limits }),
    ...(key && { apiKey: key.reveal() }),
  })(entry.model);
}

/** Not guarded: the address comes from AWS and the environment, never from a flow, and is private behind a VPC endpoint. */
const awsFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });

const nameOf = (entry: ModelEntry) => `${entry.provider}/${entry.model}`;
