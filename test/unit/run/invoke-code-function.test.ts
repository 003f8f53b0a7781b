// Invocations of the function that evaluates code: what is repeated, and what is reported.
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { invokeCodeFunction } from '#lib/run/invoke-code-function.ts';

describe('an invocation that fails', () => {
  type Reply = readonly [status: number, headers: Readonly<Record<string, string>>, body: string] | 'close';
  const good: Reply = [200, {}, '{"json":"2"}'];
  let replies: Reply[] = [];
  let received: string[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers.authorization));
    const reply = replies.shift() ?? good;
    if (reply === 'close') return void response.destroy();
    response.writeHead(reply[0], reply[1]).end(reply[2]);
  });
  beforeAll(async () => {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_LAMBDA: await listen(server, 0),
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'us-east-1',
      CODE_FUNCTION_NAME: 'evaluate-code',
    });
    delete process.env.AWS_SESSION_TOKEN;
  });
  afterAll(async () => {
    await closeServer(server);
  });

  const run = async (planned: Reply[], signal = new AbortController().signal) => {
    replies = planned;
    received = [];
    const event = { code: 'return 2', input: '{}', now: 0, seed: 's', timeoutMs: 10 };
    return await invokeCodeFunction(event, signal).catch((error: unknown) => error);
  };
  const throttled: Reply = [429, { 'x-amzn-errortype': 'TooManyRequestsException' }, '{}'];
  const transient: [string, Reply][] = [
    ['a throttle', throttled],
    ['an error of Lambda', [500, {}, '{}']],
    [
      'an error of the function',
      [200, { 'x-amz-function-error': 'Unhandled' }, '{"errorType":"Sandbox.Timedout"}'],
    ],
    ['a lost connection', 'close'],
  ];

  test.each(transient)('by %s is repeated', async (_name, reply) => {
    expect(await run([reply, reply])).toEqual({ json: '2' });
    expect(received).toHaveLength(3);
  });

  test.each(transient)('by %s three times is code.unavailable', async (_name, reply) => {
    expect(await run([reply, reply, reply])).toMatchObject({ code: 'code.unavailable' });
    expect(received).toHaveLength(3);
  });

  test.each<[string, Reply]>([
    ['a missing permission', [403, {}, '{}']],
    ['another answer', [200, {}, '{"value":1}']],
  ])('by %s is a defect of the service', async (_name, reply) => {
    const error = await run([reply]);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('code');
    expect(received).toHaveLength(1);
  });

  test('is not repeated once the time of the node is over', async () => {
    const over = new AbortController();
    over.abort(new Error('over'));
    expect(await run([throttled], over.signal)).toMatchObject({ message: 'over' });
    expect(received).toEqual([]);
  });

  test('is signed', async () => {
    await run([good]);
    expect(received).toEqual([
      expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/us-east-1\/lambda\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
      ),
    ]);
  });
});
