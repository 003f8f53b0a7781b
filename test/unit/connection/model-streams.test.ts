// Answers that break off or go bad on their way, over the providers' real HTTP APIs: never taken for an
// answer, and never a failure that a flow cannot go on after.
import { describe, expect, test, vi } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { createModelPort } from '#lib/model/port.ts';
import { checkedFlow, run, scripted } from '../flow/scripted.ts';
import { buildFrames, exceptionFrame, streamType } from './bedrock.ts';
import { type Loopback, loopback, noNames } from './loopback.ts';
import { ask, call, formatModel, mock, models, moveModelsTo, useMockModels } from './mock-models.ts';

useMockModels();

/** How the connection ends once the body is out. */
type Ending = 'closed' | 'broken off' | 'open';

/** Returns the given response to every request. */
function serveModel(type: string, body: Buffer | string, ending: Ending = 'closed'): Promise<Loopback> {
  return loopback((request, response) => {
    request.resume();
    response.setHeader('content-type', type);
    if (ending === 'closed') return void response.end(body);
    response.write(body, () => void (ending === 'broken off' && response.destroy()));
  });
}

const askModel = (model: string, onText: (piece: string) => void = () => undefined, signal = call.signal) =>
  ask(model, 'hello', {}, signal, onText);

const frames = buildFrames([{ text: 'The refund is approved.' }]);
const wantsTool = buildFrames([{ toolUse: { toolUseId: 'call_1', name: 'refund', input: {} } }]);
const half = frames.slice(0, 2);
const rest = frames.slice(2);
const wrongSum = Buffer.from(Buffer.concat(half));
wrongSum.writeUInt8(wrongSum.readUInt8(wrongSum.length - 1) ^ 1, wrongSum.length - 1);

const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const halfChunk = chunk({ content: 'The refund is' });
const refusal = (code: number) => `data: {"error":{"message":"The provider says no.","code":${code}}}\n\n`;

describe('a stream of Bedrock', () => {
  test.each(frames.slice(0, -1).map((_, index) => index))(
    'that breaks off after %d frames fails',
    async (count) => {
      await using server = await serveModel(streamType, Buffer.concat(frames.slice(0, count)));
      moveModelsTo(server.url);
      await expect(askModel('nova')).rejects.toMatchObject({ name: 'NodeError', code: 'model.bad_answer' });
    },
  );

  test.each(wantsTool.slice(0, -2).map((_, index) => index + 1))(
    'that calls a tool and breaks off after %d frames calls none',
    async (count) => {
      await using server = await serveModel(streamType, Buffer.concat(wantsTool.slice(0, count)));
      moveModelsTo(server.url);
      await expect(askModel('nova')).rejects.toMatchObject({ code: 'model.bad_answer' });
    },
  );

  test('succeeds once it has a stop reason', async () => {
    await using server = await serveModel(streamType, Buffer.concat(frames.slice(0, -1)));
    moveModelsTo(server.url);
    expect((await askModel('nova')).output).toBe('The refund is approved.');
  });

  test.each([
    ['an incomplete frame', Buffer.concat([...half, ...rest]).subarray(0, -7)],
    ['a wrong checksum', Buffer.concat([wrongSum, ...rest])],
    ['a frame too short to be one', Buffer.concat([Buffer.from([0, 0, 0, 2]), ...frames])],
    ['frames of no length', Buffer.alloc(64)],
    ['no frames', '{"output":"The refund is approved."}'],
  ])('with %s is refused', async (_what, body) => {
    await using server = await serveModel(streamType, body);
    moveModelsTo(server.url);
    await expect(askModel('nova')).rejects.toMatchObject({
      name: 'NodeError',
      code: 'model.bad_answer',
      message: `${formatModel('nova')} gave an answer that cannot be used.`,
    });
  });

  test.each([
    ['throttlingException', 'model.rate_limited'],
    ['internalServerException', 'model.unavailable'],
    ['modelStreamErrorException', 'model.unavailable'],
    ['serviceUnavailableException', 'model.unavailable'],
    ['validationException', 'model.refused'],
    ['an exception of tomorrow', 'model.bad_answer'],
  ])('that ends with %s fails with %s', async (type, code) => {
    await using server = await serveModel(streamType, Buffer.concat([...half, exceptionFrame(type)]));
    moveModelsTo(server.url);
    await expect(askModel('nova')).rejects.toMatchObject({ name: 'NodeError', code });
  });

  test('fails with that reason without credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    await expect(askModel('nova')).rejects.toMatchObject({ code: 'model.not_configured' });
  });
});

describe('a stream of an OpenAI-compatible model', () => {
  test.each([
    ['is cut', halfChunk, 'model.bad_answer'],
    ['is empty', '', 'model.bad_answer'],
    ['is limited in its rate', halfChunk + refusal(429), 'model.rate_limited'],
    ['is overloaded', halfChunk + refusal(503), 'model.unavailable'],
    ['fails without a status', `${halfChunk}data: {"error":{"message":"No."}}\n\n`, 'model.bad_answer'],
  ])('that %s fails', async (_what, body, code) => {
    await using server = await serveModel('text/event-stream', body);
    moveModelsTo(server.url);
    await expect(askModel('compatible')).rejects.toMatchObject({ name: 'NodeError', code });
  });
});

const halves = [
  ['compatible', 'text/event-stream', halfChunk],
  ['nova', streamType, Buffer.concat(half)],
] as const;

describe.each(halves)('the model "%s"', (model, type, body) => {
  test('that disconnects within its stream fails with unavailable', async () => {
    await using server = await serveModel(type, body, 'broken off');
    moveModelsTo(server.url);
    await expect(askModel(model)).rejects.toMatchObject({
      name: 'NodeError',
      code: 'model.unavailable',
      message: expect.stringContaining('broke off its answer'),
    });
  });

  test('that disconnects within a buffered answer fails with unavailable', async () => {
    await using server = await serveModel('application/json', '{"choices":[', 'broken off');
    moveModelsTo(server.url);
    await expect(ask(model, 'hello')).rejects.toMatchObject({ code: 'model.unavailable' });
  });

  test('that exceeds the time limit of the node within its stream fails with timeout', async () => {
    await using server = await serveModel(type, body, 'open');
    moveModelsTo(server.url);
    const abort = new AbortController();
    await expect(askModel(model, () => abort.abort(), abort.signal)).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  test('passes on an error of the receiver of its text unchanged', async () => {
    await using server = await serveModel(type, body);
    moveModelsTo(server.url);
    const mistake = new Error('ours');
    const answer = askModel(model, () => {
      throw mistake;
    });
    await expect(answer).rejects.toBe(mistake);
  });
});

describe('a flow whose model stream breaks off', () => {
  const flowWith = (first: JsonObject, retry: JsonObject = {}) =>
    checkedFlow(
      {
        a: {
          type: 'llm',
          prompt: 'hello',
          stream: true,
          ...retry,
          catch: [{ on: ['model.*'], next: 'caught' }],
          next: 'done',
        },
        done: { type: 'end', output: { text: '{{ nodes.a }}' } },
        caught: { type: 'end', output: { text: '{{ nodes.a.error.code }}' } },
      },
      { models: { default: { model: 'nova', ...first }, spare: { model: 'compatible' } } },
    );

  /** The first model is the server, the spare one the mock. The wait between attempts is over at once. */
  function runWithFallback(
    flow: Flow,
    server: Loopback,
    abort = new AbortController(),
    text = (): void => undefined,
  ) {
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', server.url);
    mock.onMessage('hello', { content: 'From the spare one.' });
    const fetch = createGuardedFetch({ allowPrivate: [new URL(mock.url).host] }, noNames);
    const model = createModelPort({ models: models(), defaultModel: 'nova', fetch });
    const recorded = scripted();
    const sleep: Ports['clock']['sleep'] = async (ms, signal) =>
      ms === 0 ? undefined : await recorded.clock.sleep(ms, signal);
    const clock = { ...recorded.clock, sleep };
    return run(flow, recorded, {
      ports: { ...recorded.ports, clock, model, text },
      signal: abort.signal,
    });
  }

  describe.each([
    ['closed', 'model.bad_answer'],
    ['broken off', 'model.unavailable'],
  ] as const)('within a stream that is then %s', (ending, code) => {
    test('uses its fallback model', async () => {
      await using server = await serveModel(streamType, Buffer.concat(half), ending);
      expect(await runWithFallback(flowWith({ fallback: 'spare' }), server)).toMatchObject({
        status: 'completed',
        response: { text: 'From the spare one.' },
      });
    });

    test('retries as often as configured, and then catches', async () => {
      await using server = await serveModel(streamType, Buffer.concat(half), ending);
      const retry = { max_attempts: 3, delay_ms: 0, on: ['model.*'] };
      expect(await runWithFallback(flowWith({}, { retry }), server)).toMatchObject({
        status: 'completed',
        response: { text: code },
      });
      expect(server.requests).toHaveLength(3);
    });
  });

  test('catches nothing when it is canceled within a stream', async () => {
    await using server = await serveModel(streamType, Buffer.concat(half), 'open');
    const abort = new AbortController();
    const outcome = await runWithFallback(flowWith({ fallback: 'spare' }), server, abort, () =>
      abort.abort(),
    );
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
    expect(mock.getRequests()).toHaveLength(0);
  });
});
