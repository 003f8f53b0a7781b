// Both providers as a mock on loopback, and the model port asked about them: the ground that the tests of the
// model port share.
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, vi } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { ModelCatalog } from '#lib/model/catalog.ts';
import { createModelPort } from '#lib/model/port.ts';
import { secret } from '#lib/secret.ts';
import { noNames } from './loopback.ts';

/** The providers' APIs on loopback, fresh for each test. */
export let mock: LLMock;
/** Where the models of the tests are. */
let provider: string;

/** Call it once in a test file. */
export function useMockModels(): void {
  beforeEach(async () => {
    mock = new LLMock({ port: 0 });
    provider = await mock.start();
    // The mock is the only address that anything here can reach: the guarded fetch allows it alone, and
    // Bedrock's endpoint is it.
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', mock.url);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAROLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'role-secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'role-session');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await mock.stop();
  });
}

/** Where the models are from now on, instead of at the mock. */
export function moveModelsTo(url: string): void {
  provider = url;
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', url);
}

export const models = (): ModelCatalog => ({
  compatible: { provider: 'openai-compatible', base_url: `${provider}/v1`, model: 'small' },
  keyed: {
    provider: 'openai-compatible',
    base_url: `${provider}/v1`,
    model: 'large',
    api_key_ref: 'MODEL_KEY_LARGE',
  },
  claude: { provider: 'bedrock', model: 'anthropic.claude-3-haiku-20240307-v1:0' },
  nova: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0', region: 'us-east-1' },
});

export const call = {
  runId: 'run',
  key: 'node.1',
  nodeId: 'node',
  visit: 1,
  attempt: 1,
  signal: new AbortController().signal,
};

export function ask(
  model: string,
  content: string,
  more: Partial<ModelRequest> = {},
  signal = call.signal,
  onText?: (piece: string) => void,
) {
  const port = createModelPort({
    models: models(),
    defaultModel: 'compatible',
    fetch: createGuardedFetch({ allowPrivate: [new URL(provider).host] }, noNames),
    apiKey: (name) => (name === 'MODEL_KEY_LARGE' ? secret('sk-hunter2') : undefined),
  });
  const request: ModelRequest = { model: { model }, messages: [{ role: 'user', content }], ...more };
  return port(request, { ...call, signal, ...(onText && { onText }) });
}

export const output_schema = {
  type: 'object',
  properties: { kind: { type: 'string', enum: ['refund', 'other'] } },
  required: ['kind'],
};

/**
 * Both ways providers take to give an object: as the text, and as the arguments of a tool that Bedrock models
 * must call.
 */
export function answerWithObject(model: string, object: unknown) {
  const json = JSON.stringify(object);
  const isTool = model === 'claude' || model === 'nova';
  mock.onMessage('classify', isTool ? { toolCalls: [{ name: 'json', arguments: json }] } : { content: json });
}

export const formatModel = (model: string) => {
  const entry = models()[model];
  return `${entry?.provider}/${entry?.model}`;
};
