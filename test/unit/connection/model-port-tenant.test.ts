// What the tenant's configuration decides: which model a choice means, and with which credentials it is
// asked.
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { createModelPort } from '#lib/model/port.ts';
import { secret } from '#lib/secret.ts';
import { loopback } from './loopback.ts';
import { ask, call, formatModel, mock, models, useMockModels } from './mock-models.ts';

useMockModels();

describe('a choice of model', () => {
  test('that is empty means the default', async () => {
    mock.onMessage('hello', { content: 'Hi' });
    expect((await ask('', 'hello', { model: {} })).model).toBe('openai-compatible/small');
  });

  test.each([
    [{ model: 'gpt-5' }],
    [{ provider: 'openai-compatible', model: 'gpt-5' }],
    [{ provider: 'openai-compatible', model: 'small', base_url: 'https://evil.test/v1' }],
    [{ model: 'small', base_url: 'https://evil.test/v1' }],
    [{ model: '__proto__' }],
  ])('%j, which the tenant has not configured, is refused with the configured names', async (model) => {
    await expect(ask('', 'hello', { model })).rejects.toMatchObject({
      code: 'model.not_configured',
      message: `No model that matches ${JSON.stringify(model)} is configured. The configured models are: compatible, keyed, claude, nova.`,
    });
    expect(mock.getRequests()).toHaveLength(0);
  });

  test('is refused with a clear message if no model is configured', async () => {
    const port = createModelPort({
      models: {},
      defaultModel: undefined,
      fetch: createGuardedFetch({ allowPrivate: [] }),
    });
    await expect(port({ model: {}, messages: [] }, call)).rejects.toThrow(
      'No default model is configured. The configured models are: (none).',
    );
  });
});

describe('credentials', () => {
  test('of the role of the function sign a Bedrock request for the region of the model', async () => {
    const seen: (string | undefined)[] = [];
    await using bedrock = await loopback((request, response) => {
      seen.push(request.headers.authorization, String(request.headers['x-amz-security-token']));
      response.writeHead(500).end();
    });
    process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME = bedrock.url;
    await expect(ask('nova', 'hello')).rejects.toMatchObject({ code: 'model.unavailable' });
    expect(seen[0]).toMatch(/^AWS4-HMAC-SHA256 Credential=ASIAROLE\/\d{8}\/us-east-1\/bedrock\/aws4_request/);
    expect(seen[1]).toBe('role-session');
  });

  test.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'])(
    'without %s fail clearly',
    async (name) => {
      delete process.env[name];
      await expect(ask('claude', 'hello')).rejects.toMatchObject({
        code: 'model.not_configured',
        message: `${formatModel('claude')} lacks its region or credentials in the environment.`,
      });
    },
  );

  test('of Bedrock are not sent along with a redirect', async () => {
    await using elsewhere = await loopback((_request, response) => response.end('{}'));
    await using bedrock = await loopback((_request, response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
    });
    process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME = bedrock.url;
    await expect(ask('claude', 'hello')).rejects.toMatchObject({ code: 'model.unavailable' });
    expect(bedrock.requests).toHaveLength(1);
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('of an OpenAI-compatible model are its bearer token, and in no error message', async () => {
    const seen: unknown[] = [];
    await using keyed = await loopback((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Incorrect API key provided: sk-hunter2' } }));
    });
    const port = createModelPort({
      models: {
        own: {
          provider: 'openai-compatible',
          base_url: keyed.url,
          model: 'm',
          api_key_ref: 'MODEL_KEY_OWN',
        },
      },
      defaultModel: 'own',
      fetch: keyed.fetch,
      apiKey: () => secret('sk-hunter2'),
    });
    const answer = port({ model: {}, messages: [{ role: 'user', content: 'hello' }] }, call);
    await expect(answer).rejects.toMatchObject({
      message: 'openai-compatible/m refused our credentials (401).',
    });
    expect(seen).toEqual(['Bearer sk-hunter2']);
  });

  test('that a provider repeats are masked', async () => {
    mock.nextRequestError(400, { message: 'Bad header: Bearer sk-hunter2' });
    await expect(ask('keyed', 'hello')).rejects.toMatchObject({
      code: 'model.refused',
      message: 'openai-compatible/large refused the request (400): Bad header: Bearer [secret]',
    });
  });

  test('that are configured but not set fail before a request is sent', async () => {
    const port = createModelPort({
      models: models(),
      defaultModel: 'keyed',
      fetch: createGuardedFetch({ allowPrivate: [] }),
    });
    await expect(port({ model: {}, messages: [] }, call)).rejects.toThrow(
      'The model "large" needs the environment variable MODEL_KEY_LARGE, which is not set.',
    );
  });
});
