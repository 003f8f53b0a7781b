// Settings of a request, marks for the prompt cache, and tokens that a cache has saved: over the real model port and the
// HTTP APIs of the providers.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '#lib/json/json.ts';
import { toUsage } from '#lib/model/usage.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { httpAnswer } from '../flow/scripted.ts';
import { loopback } from './loopback.ts';
import { ask, call, moveModelsTo, useMockModels } from './mock-models.ts';
import { modelIds, runOver } from './model-flow.ts';

useMockModels();
afterEach(() => vi.unstubAllEnvs());

const hi = { text: 'Hi' };
const settings = { top_p: 0.5, stop: ['END', '###'] };

/** As each API names them. */
const named: Readonly<Record<string, Json>> = {
  compatible: { top_p: 0.5, stop: ['END', '###'] },
  claude: { inferenceConfig: { topP: 0.5, stopSequences: ['END', '###'] } },
  nova: { inferenceConfig: { topP: 0.5, stopSequences: ['END', '###'] } },
};

describe.each(modelIds)('the model "%s"', (model) => {
  test('gets top_p and stop of a node, of an agent, and of a declared model', async () => {
    await using server = await startModelServer(hi, hi, hi);
    const agent = { type: 'agent', instructions: 'Help.', input: 'x', ...settings };
    await runOver({ a: { type: 'llm', prompt: 'x', ...settings } }, { model, server });
    await runOver({ a: agent }, { model, server });
    const models = { default: { model, ...settings } };
    await runOver({ a: { type: 'llm', prompt: 'x' } }, { model, server, flow: { models } });
    expect(server.asked).toHaveLength(3);
    for (const body of server.asked) expect(body).toMatchObject({ ...Object(named[model]) });
  });

  test('gets the settings of the node before those of the declared model', async () => {
    await using server = await startModelServer(hi);
    const models = { default: { model, top_p: 0.1, stop: ['STOP'] } };
    await runOver({ a: { type: 'llm', prompt: 'x', ...settings } }, { model, server, flow: { models } });
    expect(server.asked).toMatchObject([{ ...Object(named[model]) }]);
  });

  test.each([true, false])(
    'says which input came from the cache of the provider (stream: %s)',
    async (isStreamed) => {
      await using server = await startModelServer({ ...hi, tokens: { input: 100, output: 4 }, cached: 80 });
      moveModelsTo(server.url);
      const onText = isStreamed ? () => undefined : undefined;
      const { tokens } = await ask(model, 'hello', {}, call.signal, onText);
      expect(tokens).toEqual({ input: 100, output: 4, cached: 80 });
    },
  );
});

test('an OpenAI-compatible model gets the seed', async () => {
  await using server = await startModelServer(hi);
  await runOver({ a: { type: 'llm', prompt: 'x', seed: 7 } }, { model: 'compatible', server });
  expect(server.asked).toMatchObject([{ seed: 7 }]);
});

test.each(['claude', 'nova'])('the model "%s" refuses a seed before it is called', async (model) => {
  await using server = await startModelServer(hi);
  const { outcome } = await runOver({ a: { type: 'llm', prompt: 'x', seed: 7 } }, { model, server });
  expect(outcome).toMatchObject({
    error: { code: 'model.refused', message: expect.stringMatching(/^bedrock\/\S+ does not take `seed`/) },
  });
  expect(server.asked).toEqual([]);
});

test.each([true, false])(
  'a model that cannot take top_p refuses it, and nothing is streamed (stream: %s)',
  async (isStreamed) => {
    await using server = await startModelServer({ text: 'Hi' });
    moveModelsTo(server.url);
    const pieces: string[] = [];
    const onText = isStreamed ? (piece: string) => void pieces.push(piece) : undefined;
    const answer = ask('claude', 'hello', { top_p: 0.5, reasoning: 'low' }, call.signal, onText);
    await expect(answer).rejects.toMatchObject({
      code: 'model.refused',
      message: 'bedrock/anthropic.claude-3-haiku-20240307-v1:0 does not take `top_p` in this request.',
    });
    expect(pieces).toEqual([]);
  },
);

describe('`cache`', () => {
  const look = { name: 'look', description: 'Looks.', http: { url: 'https://api.example.com/x' } };
  const agent = { type: 'agent', instructions: 'Help.', input: 'x', tools: [look] };
  const flow = { egress: ['api.example.com'] };
  const script = { http: () => httpAnswer(200, 'found') };
  const point = { cachePoint: { type: 'default' } };

  test.each(['claude', 'nova'])('marks the system prompt and the last message for "%s"', async (model) => {
    await using server = await startModelServer({ calls: [{ name: 'look', args: {} }] }, hi);
    const { outcome } = await runOver({ a: { ...agent, cache: true } }, { model, server, script, flow });
    expect(outcome.status).toBe('completed');
    expect(server.asked).toMatchObject([
      { system: [{ text: 'Help.' }, point], messages: [{ content: [{ text: 'x' }, point] }] },
      {
        system: [{ text: 'Help.' }, point],
        messages: [{ content: [{ text: 'x' }] }, {}, { content: [{ toolResult: {} }, point] }],
      },
    ]);
  });

  test('is off by default, and a node can turn off that of its model', async () => {
    await using server = await startModelServer(hi, hi);
    await runOver({ a: { type: 'llm', prompt: 'x', system: 'y' } }, { model: 'claude', server });
    const models = { default: { model: 'claude', cache: true } };
    const node = { type: 'llm', prompt: 'x', system: 'y', cache: false };
    await runOver({ a: node }, { model: '', server, flow: { models } });
    expect(JSON.stringify(server.asked)).not.toContain('cachePoint');
  });

  test('changes nothing for a provider that caches by itself', async () => {
    await using server = await startModelServer(hi, hi);
    await runOver({ a: { type: 'llm', prompt: 'x', cache: true } }, { model: 'compatible', server });
    await runOver({ a: { type: 'llm', prompt: 'x' } }, { model: 'compatible', server });
    expect(server.asked[0]).toEqual(server.asked[1]);
  });
});

test('what a cache has read and written is in the log and has prices of its own', async () => {
  const tokens = { input: 1_000, output: 100 };
  await using server = await startModelServer({ ...hi, tokens, cached: 600, written: 300 });
  const { entries } = await runOver({ a: { type: 'llm', prompt: 'x' } }, { model: 'claude', server });
  expect(entries.find(({ event }) => event === 'completed')?.tokens).toEqual({
    ...tokens,
    cached: 600,
    cache_write: 300,
  });
});

test('tokens of an answer that the model refuses have their cached part too', async () => {
  await using server = await loopback((request, response) => {
    request.resume();
    const message = { role: 'assistant', content: null, refusal: 'No.' };
    const usage = { prompt_tokens: 20, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 16 } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }], usage }));
  });
  moveModelsTo(server.url);
  await expect(ask('compatible', 'hello')).rejects.toMatchObject({
    code: 'model.refused',
    tokens: { input: 20, output: 4, cached: 16 },
  });
});

const price = { input: 10, output: 50 };
const used = { input: 1_000_000, output: 100_000, cached: 600_000, cache_write: 300_000 };
test.each([
  ['Claude, by the ratios of Anthropic', 'eu.anthropic.claude-x', price, 1 + 0.6 + 3.75 + 5],
  [
    'Claude with prices of its own',
    'anthropic.claude-x',
    { ...price, cached_input: 0.25, cache_write: 20 },
    1 + 0.15 + 6 + 5,
  ],
  ['another model, as other input', 'amazon.nova-lite-v1:0', price, 10 + 5],
  [
    'another model with prices of its own',
    'amazon.nova-lite-v1:0',
    { ...price, cached_input: 2.5, cache_write: 0 },
    1 + 1.5 + 5,
  ],
])('the cost estimate counts the cached input of %s', (_what, model, prices, cost) => {
  const models = { m: { provider: 'bedrock', model, price: prices } } as const;
  const usage = toUsage({ model: `bedrock/${model}`, tokens: used }, { models });
  expect(usage.cost).toBeCloseTo(cost, 8);
});
