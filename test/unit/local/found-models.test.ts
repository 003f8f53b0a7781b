// Which models the variables of a developer lead to, asked of scripted servers on loopback.
import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { chooseModels } from '#lib/local/found-models.ts';
import { closeServer, freePort, listen } from '#lib/local/listen.ts';

const servers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((close) => close()));
});

/** A server that lists models, and the requests that it got. */
async function listing(body: object, status = 200) {
  const asked: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push({ url, headers });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const url = await listen(server, 0);
  servers.push(() => closeServer(server));
  return { url, asked };
}

const list = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ id, object: 'model' })) });

describe('a server with the API of OpenAI', () => {
  test('gives the models that it lists, the first as the default, without those that write no text', async () => {
    const { url, asked } = await listing(list('nomic-embed-text:latest', 'qwen3:8b', 'org/Llama-3.1'));
    const { found, notes } = await chooseModels({ OPENAI_BASE_URL: `${url}/v1/` });
    expect(found).toMatchObject({
      defaultModel: 'qwen3-8b',
      models: {
        'qwen3-8b': { provider: 'openai-compatible', base_url: `${url}/v1`, model: 'qwen3:8b' },
        'org-llama-3.1': { model: 'org/Llama-3.1' },
      },
      allowPrivate: [new URL(url).host],
      sources: [{ variable: 'OPENAI_BASE_URL', names: ['qwen3-8b', 'org-llama-3.1'] }],
    });
    expect(notes).toEqual([]);
    expect(asked.map((request) => request.url)).toEqual(['/v1/models']);
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  test('gets the key, which is in no text that is made of the result', async () => {
    const { url, asked } = await listing(list('gpt-9', 'gpt-9-mini', 'gpt-9-audio-mini'));
    const { found } = await chooseModels({ OPENAI_API_KEY: 'sk-top-secret\n', OPENAI_BASE_URL: `${url}/v1` });
    expect(asked[0]?.headers.authorization).toBe('Bearer sk-top-secret');
    expect(found?.defaultModel).toBe('gpt-9-mini');
    expect(found?.models['gpt-9-mini']).toMatchObject({ api_key_ref: 'MODEL_KEY_OPENAI' });
    expect(found?.keys.MODEL_KEY_OPENAI?.reveal()).toBe('sk-top-secret');
    expect(JSON.stringify(found)).not.toContain('top-secret');
  });

  test('is not asked if a model is named', async () => {
    const { found } = await chooseModels({
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
      OPENAI_MODEL: 'my-model',
    });
    expect(found).toMatchObject({ defaultModel: 'my-model', models: { 'my-model': { model: 'my-model' } } });
  });

  test('that does not answer is said, and no model is used', async () => {
    const { found, notes } = await chooseModels({
      OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`,
    });
    expect(found).toBeUndefined();
    expect(notes).toEqual([
      expect.stringMatching(/^OPENAI_BASE_URL: .* could not be listed: there was no answer \(ECONNREFUSED\)/),
    ]);
  });

  test('that refuses the key is said without the key', async () => {
    const { url } = await listing({ error: 'sk-top-secret is wrong' }, 401);
    const { notes } = await chooseModels({ OPENAI_API_KEY: 'sk-top-secret', OPENAI_BASE_URL: url });
    expect(notes).toEqual([expect.stringContaining('the credentials were refused (401)')]);
    expect(notes.join()).not.toContain('sk-top-secret');
  });

  test.each([
    ['no-url', 'OPENAI_BASE_URL: "no-url" is not an http(s) URL.'],
    [
      'http://models.test/v1',
      'OPENAI_BASE_URL: plain http is only allowed on this machine; EGRESS_ALLOW_PRIVATE=models.test:80 allows this host.',
    ],
    ['http://user:pass@127.0.0.1/v1', 'OPENAI_BASE_URL: the URL must have no user, query or fragment.'],
  ])('at %s is refused', async (OPENAI_BASE_URL, message) => {
    await expect(chooseModels({ OPENAI_BASE_URL })).rejects.toThrow(message);
  });
});

test('Anthropic lists its models by its own headers, and a small one is the default', async () => {
  const { url, asked } = await listing(list('claude-opus-9', 'claude-haiku-9'));
  const { found } = await chooseModels({ ANTHROPIC_API_KEY: 'ant-key', ANTHROPIC_BASE_URL: url });
  expect(found).toMatchObject({
    defaultModel: 'claude-haiku-9',
    models: { 'claude-opus-9': { base_url: `${url}/v1`, api_key_ref: 'MODEL_KEY_ANTHROPIC' } },
  });
  expect(asked[0]?.headers).toMatchObject({ 'x-api-key': 'ant-key', 'anthropic-version': '2023-06-01' });
});

describe('AWS credentials', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'very-secret' };
  const profiles = (...ids: readonly string[]) => ({
    inferenceProfileSummaries: ids.map((inferenceProfileId) => ({ inferenceProfileId })),
  });

  test('with a region give the inference profiles of Bedrock, by a signed request', async () => {
    const { url, asked } = await listing(profiles('eu.anthropic.claude-9-v1:0', 'eu.amazon.nova-lite-v1:0'));
    const env = { ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_BEDROCK: url };
    const { found } = await chooseModels(env);
    expect(found).toMatchObject({
      defaultModel: 'eu.amazon.nova-lite-v1-0',
      models: {
        'eu.amazon.nova-lite-v1-0': {
          provider: 'bedrock',
          model: 'eu.amazon.nova-lite-v1:0',
          region: 'eu-central-1',
        },
      },
      keys: {},
    });
    expect(asked[0]?.url).toBe('/inference-profiles?maxResults=100');
    expect(asked[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
    );
    expect(JSON.stringify(asked)).not.toContain('very-secret');
  });

  test.each([
    ['without a region', keys],
    [
      'of a running local service',
      { ...keys, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
    ],
  ])('%s give none', async (_name, env) => {
    expect(await chooseModels(env)).toEqual({ found: undefined, notes: [] });
  });
});

test('the models of two providers are used together, and MODEL_DEFAULT chooses among them', async () => {
  const { url } = await listing(list('one', 'two'));
  const env = { OPENAI_BASE_URL: url, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url };
  const { found } = await chooseModels({ ...env, MODEL_DEFAULT: 'anthropic-two' });
  expect(Object.keys(found?.models ?? {})).toEqual(['one', 'two', 'anthropic-one', 'anthropic-two']);
  expect(found?.defaultModel).toBe('anthropic-two');
  await expect(chooseModels({ ...env, MODEL_DEFAULT: 'three' })).rejects.toThrow(
    'MODEL_DEFAULT must be one of the models that were found: one, two, anthropic-one, anthropic-two.',
  );
});

describe('MODELS', () => {
  const mine = { provider: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1', model: 'qwen3' };

  test('replaces what would be found, and its servers on this machine may be reached', async () => {
    const { found } = await chooseModels({ MODELS: JSON.stringify({ mine }), OPENAI_API_KEY: 'k' });
    expect(found).toMatchObject({
      defaultModel: 'mine',
      models: { mine },
      allowPrivate: ['127.0.0.1:11434'],
    });
  });

  test.each([
    ['nonsense', 'MODELS is not valid JSON.'],
    ['[]', 'MODELS: must be an object, not a list.'],
    [JSON.stringify({ mine: { ...mine, base_urll: 'x' } }), 'MODELS.mine.base_urll: unknown field'],
    [JSON.stringify({ mine: { ...mine, model: undefined } }), 'MODELS.mine.model: '],
    [JSON.stringify({ mine: { ...mine, provider: 'openai' } }), 'MODELS.mine.provider: '],
    [JSON.stringify({ 'My Model': mine }), 'MODELS.My Model: '],
    [JSON.stringify({ mine: { ...mine, api_key_ref: 'MODEL_KEY_MINE' } }), 'MODEL_KEY_MINE'],
    ['{}', 'MODELS must have at least one model.'],
  ])('%s is refused with the name of the field', async (MODELS, message) => {
    await expect(chooseModels({ MODELS })).rejects.toThrow(message);
  });
});
