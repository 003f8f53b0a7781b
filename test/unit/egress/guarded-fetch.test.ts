// What the guarded fetch lets through, and that it behaves like the built-in fetch where it does. The attacks
// have a file of their own.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { loopback, readText, toLoopback } from '../connection/loopback.ts';

const refused = (code: string) => expect.objectContaining({ name: 'EgressError', code });

describe('a request to an allowed host', () => {
  test('is sent with its method, headers and body, and the answer is a Response', async () => {
    const bodies: string[] = [];
    await using server = await loopback(async (request, response) => {
      bodies.push(await readText(request));
      response
        .writeHead(201, 'Made', { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] })
        .end('{"ok":true}');
    });
    const url = `${server.url}/orders?id=1`;
    const response = await server.fetch(url, { method: 'POST', headers: { 'x-a': 'b' }, body: '{"n":1}' });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/orders?id=1',
      headers: {
        'x-a': 'b',
        host: server.host,
        'content-length': '7',
        'accept-encoding': 'gzip, br, deflate',
      },
    });
    expect(bodies).toEqual(['{"n":1}']);
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.statusText, response.ok, response.url]).toEqual([
      201,
      'Made',
      true,
      url,
    ]);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toEqual({ ok: true });
  });

  test.each([
    ['a URL object', (url: string) => new URL(url)],
    ['a Request', (url: string) => new Request(url)],
  ])('may be given as %s', async (_what, inputFor) => {
    await using server = await loopback((_request, response) => response.end('hello'));
    expect(await (await server.fetch(inputFor(server.url))).text()).toBe('hello');
  });

  test.each([
    ['bytes', new TextEncoder().encode('a=1')],
    ['form fields', new URLSearchParams({ a: '1' })],
    ['a stream', new Blob(['a=1']).stream()],
  ])('may have %s', async (_what, body) => {
    await using server = await loopback(async (request, response) => response.end(await readText(request)));
    expect(await (await server.fetch(server.url, { method: 'PUT', body })).text()).toBe('a=1');
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('an answer in %s is decoded', async (encoding, compress) => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('straße'));
    });
    const response = await server.fetch(server.url);
    expect(response.headers.has('content-encoding')).toBe(false);
    expect(await response.text()).toBe('straße');
  });

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('the answer to %s with status %d has no body', async (method, status) => {
    await using server = await loopback((_request, response) => response.writeHead(status).end());
    const response = await server.fetch(server.url, { method });
    expect([response.status, response.body, await response.text()]).toEqual([status, null, '']);
  });

  test('an answer streams: its first part can be read before its last is sent', async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await loopback(async (_request, response) => {
      response.write('first');
      await gate.promise;
      response.end('last');
    });
    const reader = (await server.fetch(server.url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('first');
    gate.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('last');
    expect((await reader?.read())?.done).toBe(true);
  });

  test('an answer that is not read to its end releases the connection', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await loopback((_request, response) => {
      response.on('close', closed.resolve);
      response.write('first');
    });
    await (await server.fetch(server.url)).body?.cancel();
    await closed.promise;
  });

  test('an answer that breaks off rejects the reading of its body', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half', () => response.destroy());
    });
    await expect((await server.fetch(server.url)).text()).rejects.toThrow(new TypeError('terminated'));
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  test('before the request sends nothing', async () => {
    await using server = await loopback((_request, response) => response.end());
    await expect(server.fetch(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test('while the answer is awaited rejects with its reason', async () => {
    const abort = new AbortController();
    await using server = await loopback(() => abort.abort(reason));
    await expect(server.fetch(server.url, { signal: abort.signal })).rejects.toBe(reason);
  });

  test('while the body arrives rejects its reading', async () => {
    const abort = new AbortController();
    await using server = await loopback((_request, response) => void response.write('first'));
    const response = await server.fetch(server.url, { signal: abort.signal });
    const text = response.text();
    abort.abort(reason);
    await expect(text).rejects.toBe(reason);
  });

  test.each([
    ['identity', 'first'],
    ['gzip', gzipSync('first')],
  ])('of an unread answer in %s causes no error', async (encoding, part) => {
    const abort = new AbortController();
    const closed = Promise.withResolvers<void>();
    await using server = await loopback((_request, response) => {
      response.on('close', closed.resolve);
      response.writeHead(200, { 'content-encoding': encoding }).write(part);
    });
    await server.fetch(server.url, { signal: abort.signal });
    abort.abort(reason);
    await closed.promise;
  });

  test('without a reason rejects as an AbortError', async () => {
    const abort = new AbortController();
    await using server = await loopback(() => abort.abort());
    await expect(server.fetch(server.url, { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('a redirect', () => {
  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'body'],
    [307, 'POST', 'POST', 'body'],
    [308, 'POST', 'POST', 'body'],
  ])('with %d turns %s into %s', async (status, method, next, body) => {
    const arrived: unknown[] = [];
    await using server = await loopback(async (request, response) => {
      if (request.url === '/from') return void response.writeHead(status, { location: '/to' }).end();
      arrived.push([request.method, request.headers['content-type'], await readText(request)]);
      response.end();
    });
    const headers = { 'content-type': 'text/plain', authorization: 'Bearer a' };
    const response = await server.fetch(`${server.url}/from`, { method, headers, body: 'body' });
    expect(arrived).toEqual([[next, body ? 'text/plain' : undefined, body]]);
    expect(server.requests[1]?.headers.authorization).toBe('Bearer a');
    expect(response.url).toBe(`${server.url}/to`);
  });

  test('is returned with redirect: manual and refused with redirect: error', async () => {
    await using server = await loopback((_request, response) =>
      response.writeHead(302, { location: '/to' }).end(),
    );
    expect((await server.fetch(server.url, { redirect: 'manual' })).status).toBe(302);
    await expect(server.fetch(server.url, { redirect: 'error' })).rejects.toEqual(
      refused('egress.redirects'),
    );
  });

  test('without a Location header is returned as the answer', async () => {
    await using server = await loopback((_request, response) => response.writeHead(302).end());
    expect((await server.fetch(server.url)).status).toBe(302);
  });
});

test('a private name that the operator allowed is called over http, only on the allowed port', async () => {
  await using server = await loopback((_request, response) => response.end('ok'));
  const port = new URL(server.url).port;
  const fetch = createGuardedFetch({ allowPrivate: [`orders.test:${port}`] }, toLoopback);
  expect(await (await fetch(`http://orders.test:${port}/`)).text()).toBe('ok');
  await expect(fetch('https://orders.test/')).rejects.toEqual(refused('egress.private_address'));
  await expect(fetch('http://orders.test/')).rejects.toEqual(refused('egress.scheme'));
  await expect(fetch(`https://other.test:${port}/`)).rejects.toEqual(refused('egress.private_address'));
});

test('a refused connection fails as with the built-in fetch, with the cause', async () => {
  const server = await loopback(() => undefined);
  await server[Symbol.asyncDispose]();
  await expect(server.fetch(server.url)).rejects.toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED' },
  });
});

test('every request has its own connection', async () => {
  const sockets = new Set<unknown>();
  await using server = await loopback((request, response) => {
    sockets.add(request.socket);
    response.end('ok');
  });
  for (const path of ['a', 'b', 'c']) await (await server.fetch(`${server.url}/${path}`)).text();
  expect(sockets.size).toBe(3);
});
