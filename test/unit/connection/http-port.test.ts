// The http port against real servers on loopback: what a node gets, and the code of every way to fail.
import { describe, expect, test } from 'vitest';
import { createHttpPort } from '#lib/connection/http-port.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { HttpRequest } from '#lib/flow/ports/http.ts';
import { connectWith } from './connections.ts';
import { type Loopback, loopback, readText } from './loopback.ts';

const call = {
  runId: 'run1',
  key: 'order.2',
  nodeId: 'order',
  visit: 2,
  attempt: 3,
  signal: new AbortController().signal,
};

function ask(server: Loopback, request: Partial<HttpRequest> = {}, signal = call.signal) {
  const asked = {
    method: 'GET',
    url: server.url,
    headers: {},
    response: 'json',
    egress: [server.host],
  } as const;
  return createHttpPort(connectWith({ fetch: server.fetch }))({ ...asked, ...request }, { ...call, signal });
}

const failed = (code: string) => expect.objectContaining({ name: 'NodeError', code });

describe('the answer', () => {
  test.each([
    ['an object', '{"id":1}', { id: 1 }],
    ['a list', '[1,2]', [1, 2]],
    ['a string', '"x"', 'x'],
    ['half of a surrogate pair', '{"a\\ud800":["\\udc00"]}', { 'a\ufffd': ['\ufffd'] }],
    ['nothing', '', null],
    ['white space', ' \n', null],
  ])('is parsed when it is %s', async (_what, sent, body) => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'x-a': 'b', 'content-type': 'application/json' }).end(sent);
    });
    const headers = expect.objectContaining({ 'x-a': 'b', 'content-type': 'application/json' });
    expect(await ask(server)).toEqual({ status: 200, headers, body });
  });

  test('has the headers of the host without its cookies', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'x-a': ['b', 'c'], 'set-cookie': ['session=1', 'other=2'] }).end();
    });
    const { headers } = await ask(server);
    expect(headers).toMatchObject({ 'x-a': 'b, c' });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('is not parsed when text is requested', async () => {
    await using server = await loopback((_request, response) => response.end('{"id":1}'));
    expect((await ask(server, { response: 'text' })).body).toBe('{"id":1}');
  });

  test.each([404, 429, 503])('with status %d is an answer, parsed if it can be', async (status) => {
    await using server = await loopback((request, response) => {
      response.writeHead(status).end(request.url === '/json' ? '{"e":1}' : '<h1>Sorry</h1>');
    });
    expect(await ask(server, { url: `${server.url}/json` })).toMatchObject({ status, body: { e: 1 } });
    expect(await ask(server)).toMatchObject({ status, body: '<h1>Sorry</h1>' });
  });

  test('that is not JSON fails, with its content type in the message', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>');
    });
    await expect(ask(server, { url: `${server.url}/secret?token=1` })).rejects.toMatchObject({
      code: 'http.bad_json',
      message: `The answer of ${server.host} is not JSON (text/html).`,
    });
  });

  test('nested deeper than the limit of values fails', async () => {
    await using server = await loopback((_request, response) =>
      response.end('['.repeat(50_000) + ']'.repeat(50_000)),
    );
    await expect(ask(server)).rejects.toEqual(failed('http.bad_json'));
  });
});

describe('the request', () => {
  test('carries method, headers and body', async () => {
    const bodies: string[] = [];
    await using server = await loopback(async (request, response) => {
      bodies.push(await readText(request));
      response.end();
    });
    await ask(server, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"n":1}' });
    expect(server.requests[0]).toMatchObject({
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
    });
    expect(bodies).toEqual(['{"n":1}']);
  });
});

describe('a failure has a code', () => {
  test.each([
    ['a host outside the egress list', { egress: [] }, 'egress.host_not_listed'],
    ['a private address', { url: 'https://10.0.0.1/', egress: ['10.0.0.1'] }, 'egress.private_address'],
    ['plain http', { url: 'http://example.com/', egress: ['example.com'] }, 'egress.scheme'],
    ['a header of the connection', { headers: { Host: 'evil.test' } }, 'egress.header'],
    ['a URL that is none', { url: 'orders/1' }, 'egress.url'],
    ['a host without an address', { url: 'https://nowhere.test/', egress: ['*.test'] }, 'http.network'],
    ['a connection that the flow does not declare', { connection: 'crm' }, 'connection.missing'],
  ])('%s', async (_what, request, code) => {
    await using server = await loopback((_request, response) => response.end());
    await expect(ask(server, request)).rejects.toEqual(failed(code));
    expect(server.requests).toHaveLength(0);
  });

  test('an answer that is too large', async () => {
    await using server = await loopback((_request, response) => response.end('x'.repeat(1024 ** 2 + 1)));
    await expect(ask(server, { response: 'text' })).rejects.toEqual(failed('egress.too_large'));
  });

  test('a connection that is refused or interrupted', async () => {
    const gone = await loopback(() => undefined);
    await gone[Symbol.asyncDispose]();
    await expect(ask(gone)).rejects.toMatchObject({
      code: 'http.network',
      message: `No answer from ${gone.host}: ECONNREFUSED.`,
    });
    await using breaking = await loopback((request) => request.socket.destroy());
    await expect(ask(breaking)).rejects.toEqual(failed('http.network'));
    await using half = await loopback((_request, response) => {
      response.writeHead(200, { 'content-length': 9 });
      response.write('half', () => response.destroy());
    });
    await expect(ask(half)).rejects.toEqual(failed('http.network'));
  });

  test('the time-out of the node, before and within the response', async () => {
    for (const listener of [
      () => 'silent',
      (_: unknown, response: { write(text: string): unknown }) => response.write('['),
    ]) {
      const abort = new AbortController();
      await using server = await loopback((request, response) => {
        listener(request, response);
        abort.abort();
      });
      await expect(ask(server, {}, abort.signal)).rejects.toEqual(failed('timeout'));
    }
  });

  test('the time-out of the fetch itself', async () => {
    await using server = await loopback(() => undefined);
    const hasty: GuardedFetch = (input, init) => server.fetch(input, { ...init, limits: { headersMs: 30 } });
    const port = createHttpPort(connectWith({ fetch: hasty }));
    const request = {
      method: 'GET',
      url: server.url,
      headers: {},
      response: 'json',
      egress: [server.host],
    } as const;
    await expect(port(request, call)).rejects.toEqual(failed('timeout'));
  });

  test('no error message repeats the path, the query, a header or the body', async () => {
    await using server = await loopback((request) => request.socket.destroy());
    const request = {
      method: 'POST',
      url: `${server.url}/hunter2?k=hunter2`,
      headers: { 'x-key': 'hunter2' },
      body: 'hunter2',
    } as const;
    await expect(ask(server, request)).rejects.not.toThrow(/hunter2/);
    await expect(ask(server, { ...request, egress: [] })).rejects.not.toThrow(/hunter2/);
  });
});
