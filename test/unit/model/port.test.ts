// The model port against a mock of the providers' real HTTP APIs: each provider gives the same answers and
// the same failures.
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { createModelPort } from '#lib/model/port.ts';
import { loopback } from '../connection/loopback.ts';
import {
  answerWithObject,
  ask,
  call,
  formatModel,
  mock,
  models,
  moveModelsTo,
  output_schema,
  useMockModels,
} from '../connection/mock-models.ts';

useMockModels();

describe.each(['compatible', 'claude', 'nova'])('the model "%s"', (model) => {
  test('answers with text and its tokens', async () => {
    mock.onMessage('hello', { content: 'Hi there', usage: { prompt_tokens: 12, completion_tokens: 3 } });
    expect(await ask(model, 'hello')).toEqual({
      output: 'Hi there',
      model: formatModel(model),
      tokens: { input: 12, output: 3 },
      finish_reason: 'stop',
    });
  });

  test('gets the instructions, the conversation and the settings', async () => {
    mock.onMessage('hello', { content: 'Hi' });
    const messages = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'hello' },
    ] as const;
    await ask(model, '', { system: 'Be brief.', messages, temperature: 0, max_tokens: 50 });
    expect(mock.getLastRequest()?.body).toMatchObject({
      temperature: 0,
      max_tokens: 50,
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
    });
  });

  test('answers with an object that matches the schema', async () => {
    answerWithObject(model, { kind: 'refund' });
    expect((await ask(model, 'classify', { output_schema })).output).toEqual({ kind: 'refund' });
  });

  test.each([
    ['another kind of object', { kind: 'dragon' }],
    ['an object with a gap', {}],
    ['no object', 'refund'],
  ])('answers with %s, which the node has to check', async (_what, answer) => {
    answerWithObject(model, answer);
    const { output, isMalformed } = await ask(model, 'classify', { output_schema });
    expect({ output, isMalformed }).toEqual({ output: answer });
  });

  test('answers with text instead of an object, and says so', async () => {
    mock.onMessage('classify', { content: 'It is a refund, I think.' });
    expect(await ask(model, 'classify', { output_schema })).toMatchObject({
      output: 'It is a refund, I think.',
      isMalformed: true,
    });
  });

  test.each([
    [400, 'model.refused'],
    [401, 'model.not_configured'],
    [403, 'model.not_configured'],
    [404, 'model.not_configured'],
    [413, 'model.refused'],
    [429, 'model.rate_limited'],
    [500, 'model.unavailable'],
    [503, 'model.unavailable'],
    [529, 'model.unavailable'],
  ])('that answers %d fails with %s, and is called once', async (status, code) => {
    mock.nextRequestError(status, { message: 'The provider says no.' });
    await expect(ask(model, 'hello')).rejects.toMatchObject({
      name: 'NodeError',
      code,
      message: expect.stringContaining(`${status}`),
    });
    expect(mock.getRequests()).toHaveLength(1);
  });

  test.each([
    [429, 'model.rate_limited'],
    [503, 'model.unavailable'],
    [529, 'model.unavailable'],
  ])('that answers %d fails with the time after which it may be called again', async (status, code) => {
    await using server = await loopback((_request, response) => {
      response.writeHead(status, { 'retry-after': '7', 'content-type': 'application/json' }).end('{}');
    });
    moveModelsTo(server.url);
    await expect(ask(model, 'hello')).rejects.toMatchObject({ code, retryAfter: '7' });
  });

  test('that does not answer in the form of its API fails as unusable', async () => {
    mock.setChaos({ malformedRate: 1 });
    await expect(ask(model, 'hello')).rejects.toMatchObject({ code: 'model.bad_answer' });
  });

  test('that disconnects fails with unavailable', async () => {
    mock.setChaos({ disconnectRate: 1 });
    await expect(ask(model, 'hello')).rejects.toMatchObject({ code: 'model.unavailable' });
  });

  test('that refuses connections fails with unavailable', async () => {
    const gone = await loopback(() => undefined);
    await gone[Symbol.asyncDispose]();
    moveModelsTo(gone.url);
    await expect(ask(model, 'hello')).rejects.toMatchObject({
      code: 'model.unavailable',
      message: `${formatModel(model)} did not answer (ECONNREFUSED).`,
    });
  });

  test('that is slower than the time limit of the node fails with timeout', async () => {
    mock.onMessage('hello', { content: 'Hi' }, { latency: 60_000 });
    const abort = new AbortController();
    const answer = ask(model, 'hello', {}, abort.signal);
    setImmediate(() => abort.abort());
    await expect(answer).rejects.toMatchObject({
      code: 'timeout',
      message: `${formatModel(model)} did not answer in time.`,
    });
  });
});

describe('an OpenAI-compatible model', () => {
  test('at a private address that the operator did not allow is not called', async () => {
    const port = createModelPort({
      models: models(),
      defaultModel: 'compatible',
      fetch: createGuardedFetch({ allowPrivate: [] }),
    });
    await expect(port({ model: {}, messages: [{ role: 'user', content: 'x' }] }, call)).rejects.toMatchObject(
      {
        code: 'model.not_configured',
        message: 'openai-compatible/small cannot be used: Only https is allowed, not http.',
      },
    );
  });

  test('that is slower than the time limit of the fetch fails with timeout', async () => {
    await using slow = await loopback(() => undefined);
    const port = createModelPort({
      models: { slow: { provider: 'openai-compatible', base_url: slow.url, model: 'm' } },
      defaultModel: 'slow',
      fetch: (input, init) => slow.fetch(input, { ...init, limits: { headersMs: 30 } }),
    });
    const answer = port({ model: {}, messages: [{ role: 'user', content: 'hello' }] }, call);
    await expect(answer).rejects.toMatchObject({ code: 'timeout' });
  });

  test('fails when it refuses', async () => {
    mock.onMessage('hello', { content: 'I cannot', finishReason: 'content_filter' });
    await expect(ask('compatible', 'hello')).rejects.toMatchObject({ code: 'model.refused' });
  });

  test('fails when it refuses to return an object', async () => {
    mock.onMessage('classify', { content: 'I cannot', finishReason: 'content_filter' });
    await expect(ask('compatible', 'classify', { output_schema })).rejects.toMatchObject({
      code: 'model.refused',
    });
  });

  test('that reaches max_tokens says so', async () => {
    mock.onMessage('hello', { content: 'Once upon', finishReason: 'length' });
    expect(await ask('compatible', 'hello')).toMatchObject({ output: 'Once upon', finish_reason: 'length' });
    mock.onMessage('classify', { content: '{"kind":"ref', finishReason: 'length' });
    expect(await ask('compatible', 'classify', { output_schema })).toMatchObject({
      output: '{"kind":"ref',
      isMalformed: true,
      finish_reason: 'length',
    });
  });

  test('that sends more than a megabyte fails', async () => {
    mock.onMessage('hello', { content: 'x'.repeat(1024 ** 2 + 1) });
    await expect(ask('compatible', 'hello')).rejects.toMatchObject({ code: 'model.bad_answer' });
  });

  test('is sent the schema itself', async () => {
    answerWithObject('compatible', { kind: 'other' });
    await ask('compatible', 'classify', { output_schema });
    expect(mock.getLastRequest()?.body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: output_schema, strict: false } },
    });
  });
});
