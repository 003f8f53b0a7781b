import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isTransientFailure } from '#lib/aws.ts';
import { awsHttp, connectionsMax } from '#lib/aws-http.ts';
import { loopbackCertificate, loopbackKey } from '#test/support/loopback-certificate.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(
  listener: RequestListener,
  { host = '127.0.0.1', server = createServer(listener) }: { host?: string; server?: Server } = {},
): Promise<number> {
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const request = (port: number, changes: Partial<HttpRequest> = {}) =>
  new HttpRequest({
    protocol: 'http:',
    hostname: '127.0.0.1',
    port,
    method: 'POST',
    path: '/',
    headers: { 'x-amz-target': 'Sample.Ask' },
    body: '{}',
    ...changes,
  });
const handler = awsHttp(60_000);

describe('a request', () => {
  test('is sent as the SDK has made it, and answered with all bytes', async () => {
    const seen: unknown[] = [];
    const port = await serve(async (incoming, response) => {
      const chunks = await incoming.toArray();
      seen.push([
        incoming.method,
        incoming.url,
        incoming.headers['x-amz-target'],
        Buffer.concat(chunks).toString(),
      ]);
      response.writeHead(400, { 'x-amzn-requestid': 'r1' });
      for (const part of ['{"one"', ':"é', '"}']) response.write(part);
      response.end();
    });
    const { response } = await handler.handle(request(port, { body: Buffer.from('{"ask":1}') }));
    expect(seen).toEqual([['POST', '/', 'Sample.Ask', '{"ask":1}']]);
    expect(response).toMatchObject({ statusCode: 400, headers: { 'x-amzn-requestid': 'r1' } });
    expect(Buffer.from(response.body).toString()).toBe('{"one":"é"}');
  });

  test('may have an answer without a body', async () => {
    const port = await serve((_, response) => response.end());
    const { response } = await handler.handle(request(port));
    expect(response).toMatchObject({ statusCode: 200, body: Buffer.alloc(0) });
  });

  test('goes to an IPv6 address, which has brackets in a URL', async () => {
    const port = await serve((_, response) => response.end('{}'), { host: '::1' });
    const { response } = await handler.handle(request(port, { hostname: '[::1]' }));
    expect(response.statusCode).toBe(200);
  });

  test('by TLS goes to nobody without a certificate that is trusted', async () => {
    const seen: unknown[] = [];
    const answer: RequestListener = (incoming, response) => {
      seen.push(incoming.url);
      response.end('{}');
    };
    const server = createSecureServer({ key: loopbackKey, cert: loopbackCertificate }, answer);
    const port = await serve(answer, { server });
    const failing = handler.handle(request(port, { protocol: 'https:' }));
    await expect(failing).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(seen).toEqual([]);
  });

  test('uses the connection of the one before', async () => {
    const ports = new Set<number | undefined>();
    const port = await serve((incoming, response) => {
      ports.add(incoming.socket.remotePort);
      response.end('{}');
    });
    // Those of another time limit too.
    for (const each of [handler, awsHttp(50_000), handler]) await each.handle(request(port));
    expect(ports.size).toBe(1);
  });
});

describe('a request that fails', () => {
  const transient = async (failing: Promise<unknown>) => {
    const error: unknown = await failing.catch((thrown: unknown) => thrown);
    expect(error).toSatisfy(isTransientFailure);
    return error;
  };

  test.each([
    ['without an answer', () => undefined],
    ['in the middle of its answer', (_: unknown, response: ServerResponse) => void response.write('{')],
  ])('by its time, %s, closes its connection', async (_, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const port = await serve((incoming, response) => {
      incoming.socket.once('close', () => closed.resolve());
      answer(incoming, response);
      arrived.resolve();
    });
    const failing = transient(awsHttp(3_000).handle(request(port)));
    await arrived.promise;
    vi.advanceTimersByTime(3_000);
    expect(await failing).toMatchObject({
      name: 'TimeoutError',
      message: 'AWS did not answer within 3000 ms.',
    });
    await closed.promise;
  });

  test('while it waits for a connection, by its time or because its caller gives it up', async () => {
    const all = Promise.withResolvers<void>();
    let arrived = 0;
    const port = await serve(() => {
      arrived += 1;
      if (arrived === connectionsMax) all.resolve();
    });
    const leave = new AbortController();
    const { signal } = leave;
    const hanging = Array.from({ length: connectionsMax }, () =>
      handler.handle(request(port), { abortSignal: signal }).catch(() => undefined),
    );
    await all.promise;
    await transient(awsHttp(1).handle(request(port)));
    const abort = new AbortController();
    const failing = handler.handle(request(port), { abortSignal: abort.signal });
    abort.abort();
    await expect(failing).rejects.toMatchObject({ name: 'AbortError' });
    expect(arrived).toBe(connectionsMax);
    leave.abort();
    await Promise.all(hanging);
  });

  test.each([
    ['before its answer', () => undefined],
    ['in the middle of it', (response: ServerResponse) => void response.write('{')],
  ])('because the connection breaks %s', async (_, answer) => {
    const port = await serve((incoming, response) => {
      answer(response);
      response.flushHeaders();
      setImmediate(() => incoming.socket.destroy());
    });
    await transient(handler.handle(request(port)));
  });

  test('because nobody listens', async () => {
    const port = await serve(() => undefined);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    await transient(handler.handle(request(port)));
  });

  test.each([
    ['before it is sent', undefined],
    ['before its answer', () => undefined],
    ['in the middle of it', (response: ServerResponse) => void response.write('{')],
  ])('because its caller gives it up %s', async (_, answer) => {
    const arrived = Promise.withResolvers<void>();
    const port = await serve((_incoming, response) => {
      answer?.(response);
      arrived.resolve();
    });
    const abort = new AbortController();
    if (!answer) abort.abort();
    const failing = handler.handle(request(port), { abortSignal: abort.signal });
    const refused = expect(failing).rejects.toMatchObject({ name: 'AbortError' });
    if (answer) await arrived.promise;
    abort.abort();
    await refused;
  });
});

test('a client of the SDK tries again after its time, and reads the answer', async () => {
  let requests = 0;
  const port = await serve((_, response) => {
    requests += 1;
    if (requests > 1) response.end('{"TableNames":["one"]}');
  });
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    requestHandler: awsHttp(500),
  });
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['one']);
  expect(requests).toBe(2);
});
