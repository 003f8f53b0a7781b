// Requests that are longer than the context of a model, in the words of the providers, over the real model port.
import { encodeEventStreamFrame } from '@copilotkit/aimock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '#lib/json/json.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { streamType } from './bedrock.ts';
import { loopback } from './loopback.ts';
import { ask, call, moveModelsTo, useMockModels } from './mock-models.ts';
import { runOver } from './model-flow.ts';

useMockModels();
afterEach(() => vi.unstubAllEnvs());

const openAi = (message: string, more: object = {}) => ({
  error: { message, type: 'invalid_request_error', ...more },
});
const plain = (message: string, more: object = {}) => ({ object: 'error', message, ...more });

/** Each in the form and the words of the provider. */
const refusals: readonly (readonly [provider: string, status: number, body: Json])[] = [
  [
    'OpenAI',
    400,
    openAi(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130102 tokens. Please reduce the length of the messages.",
      { param: 'messages', code: 'context_length_exceeded' },
    ),
  ],
  [
    'OpenAI, of GPT-5',
    400,
    openAi('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      code: 'context_length_exceeded',
    }),
  ],
  [
    'OpenAI, with a limit of its own',
    400,
    openAi(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300111 tokens. Please reduce the length of the messages.',
    ),
  ],
  ['a gateway that keeps only the code', 400, openAi('Bad request.', { code: 'context_length_exceeded' })],
  ['Anthropic', 400, { type: 'error', ...openAi('prompt is too long: 209353 tokens > 200000 maximum') }],
  [
    'Anthropic, with max_tokens',
    400,
    {
      type: 'error',
      ...openAi(
        'input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      ),
    },
  ],
  [
    'Google',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  ],
  [
    'Mistral',
    400,
    plain(
      'Prompt contains 40959 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      { type: 'invalid_request_prompt', code: '3051' },
    ),
  ],
  [
    'vLLM',
    400,
    plain(
      "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
      { type: 'BadRequestError', code: 400 },
    ),
  ],
  [
    'vLLM, of a prompt',
    400,
    plain('The decoder prompt (length 21535) is longer than the maximum model length of 16384.', {
      type: 'BadRequestError',
      code: 400,
    }),
  ],
  [
    'vLLM, as an internal error',
    500,
    plain('The prompt (total length 25938) is too long to fit into the model (context length 4096).'),
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
      },
    },
  ],
  ['Ollama', 400, openAi('prompt too long; exceeded max context length by 4096 tokens')],
  [
    'LM Studio',
    400,
    { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
  ],
  [
    'Groq',
    400,
    openAi('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
  ],
  [
    'Cerebras',
    400,
    openAi(
      'Please reduce the length of the messages or completion. Current length is 9164 while limit is 8192',
      { code: 'context_length_exceeded' },
    ),
  ],
  [
    'xAI',
    400,
    {
      code: 'invalid-argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  ],
  [
    'DeepSeek',
    400,
    openAi(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    ),
  ],
  [
    'OpenRouter',
    400,
    openAi(
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input).",
    ),
  ],
  [
    'Text Generation Inference',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3474 `inputs` tokens and 60 `max_new_tokens`',
      error_type: 'validation',
    },
  ],
  [
    'Cohere',
    400,
    { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5323.' },
  ],
  ['MiniMax', 400, openAi('invalid params, context window exceeds limit (2013)')],
  [
    'Moonshot',
    400,
    openAi('Invalid request: Your request exceeded model token limit: 131072 (requested: 140021)'),
  ],
  ['Qwen', 400, openAi('Range of input length should be [1, 258048]')],
];

describe('an OpenAI-compatible provider', () => {
  test.each(refusals)(
    'in the words of %s, with status %i, fails with model.context_exceeded',
    async (_who, status, body) => {
      await using server = await startModelServer({ refusal: { status, body } });
      moveModelsTo(server.url);
      await expect(ask('compatible', 'hello')).rejects.toMatchObject({
        code: 'model.context_exceeded',
        message: expect.stringContaining(
          'openai-compatible/small got a request that is longer than its context',
        ),
      });
    },
  );

  test.each([
    [
      'a rate of tokens',
      429,
      openAi(
        'Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 34512. The input or output tokens must be reduced.',
      ),
      'model.rate_limited',
    ],
    [
      'a rate, in words about the context',
      429,
      openAi('Please reduce the length of the messages.'),
      'model.rate_limited',
    ],
    ['another field', 400, openAi("'temperature' must be at most 1"), 'model.refused'],
    ['credentials', 401, openAi('Incorrect API key provided.'), 'model.not_configured'],
    [
      'a long text that it quotes',
      400,
      openAi(`Unsupported: ${'x'.repeat(3000)} prompt is too long`),
      'model.refused',
    ],
  ] as const)('that refuses %s with status %i does not', async (_what, status, body, code) => {
    await using server = await startModelServer({ refusal: { status, body } });
    moveModelsTo(server.url);
    await expect(ask('compatible', 'hello')).rejects.toMatchObject({ code });
  });

  test('that says so within a stream fails with it', async () => {
    await using server = await loopback((request, response) => {
      request.resume();
      response.setHeader('content-type', 'text/event-stream');
      response.end(
        `data: ${JSON.stringify(openAi('prompt is too long: 209353 tokens > 200000 maximum', { code: 400 }))}\n\n`,
      );
    });
    moveModelsTo(server.url);
    const answer = ask('compatible', 'hello', {}, call.signal, () => undefined);
    await expect(answer).rejects.toMatchObject({ code: 'model.context_exceeded' });
  });
});

/** Of a ValidationException. */
const bedrockTexts = [
  ['Claude', 'Input is too long for requested model.'],
  [
    'Claude, since 4',
    'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum',
  ],
  [
    'Claude, with max_tokens',
    'The model returned the following errors: input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  ],
  [
    'Nova',
    'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
  ],
  [
    'Llama',
    "The model returned the following errors: This model's maximum context length is 131072 tokens. Please reduce the length of the prompt",
  ],
] as const;

describe('Bedrock', () => {
  test.each(bedrockTexts)('in the words of %s fails with model.context_exceeded', async (_who, message) => {
    await using server = await startModelServer({ refusal: { status: 400, body: { message } } });
    moveModelsTo(server.url);
    await expect(ask('claude', 'hello')).rejects.toMatchObject({ code: 'model.context_exceeded' });
  });

  test.each(bedrockTexts)('in the words of %s fails with it within a stream too', async (_who, message) => {
    await using server = await loopback((request, response) => {
      request.resume();
      response.setHeader('content-type', streamType);
      const headers = {
        ':content-type': 'application/json',
        ':exception-type': 'validationException',
        ':message-type': 'exception',
      };
      response.end(encodeEventStreamFrame(headers, Buffer.from(JSON.stringify({ message }))));
    });
    moveModelsTo(server.url);
    const answer = ask('nova', 'hello', {}, call.signal, () => undefined);
    await expect(answer).rejects.toMatchObject({ code: 'model.context_exceeded' });
  });

  test('that throttles tokens does not', async () => {
    const body = { message: 'Too many tokens, please wait before trying again.' };
    await using server = await startModelServer({ refusal: { status: 429, body } });
    moveModelsTo(server.url);
    await expect(ask('nova', 'hello')).rejects.toMatchObject({ code: 'model.rate_limited' });
  });
});

test('a catch receives model.context_exceeded, and a fallback model is asked first', async () => {
  const refusal = { status: 400, body: { message: 'Input is too long for requested model.' } };
  await using server = await startModelServer({ refusal }, { refusal }, { text: 'Done.' });
  const nodes = {
    a: { type: 'llm', prompt: 'x', catch: [{ on: ['model.context_exceeded'], next: 'b' }] },
    b: { type: 'llm', prompt: 'x', model: 'first' },
  };
  const models = {
    default: { model: 'claude' },
    first: { model: 'nova', fallback: 'second' },
    second: { model: 'compatible' },
  };
  const { outcome } = await runOver(nodes, { model: '', server, flow: { models } });
  expect(outcome.status).toBe('completed');
  expect(server.asked).toHaveLength(3);
});
