// Fields of `http` nodes that decide where a request goes and what remains of its response, against real servers
// on loopback, through the real port.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { sendThroughFlow as send } from './http-flow.ts';
import { type Loopback, loopback } from './loopback.ts';

const echoUrl = () => loopback((request, response) => response.end(JSON.stringify({ url: request.url })));

describe('a URL that is data', () => {
  const next = '{{ input.user_variables.next }}';
  const follow = (
    server: Loopback,
    value: unknown,
    more: { node?: object; flow?: JsonObject; values?: Record<string, object> } = {},
  ) => send(server, { url: next, ...more.node }, { ...more, variables: { next: value as string } });

  test('is sent to a host of egress', async () => {
    await using server = await echoUrl();
    const url = `${server.url}/orders?page=2&q=a%20b`;
    expect(await follow(server, url)).toMatchObject({ body: { url: '/orders?page=2&q=a%20b' } });
    const node = { query: { n: 1 }, path: '{{ "x/y" }}' };
    expect(await follow(server, url, { node })).toMatchObject({
      body: { url: '/orders/x/y?page=2&q=a+b&n=1' },
    });
  });

  test.each<[string, (server: Loopback) => unknown, string]>([
    ['another host', () => 'https://evil.test/', 'egress.host_not_listed'],
    ['another port', () => 'http://127.0.0.1:1/', 'egress.scheme'],
    [
      'a host that only begins alike',
      ({ host }) => `https://${host.split(':')[0]}.evil.test/`,
      'egress.host_not_listed',
    ],
    ['a user name', ({ host }) => `http://user:pass@${host}/`, 'egress.credentials_in_url'],
    [
      'another host behind a user name',
      ({ host }) => `https://${host.split(':')[0]}@evil.test/`,
      'egress.credentials_in_url',
    ],
    ['another scheme', ({ host }) => `ftp://${host}/etc/passwd`, 'egress.scheme'],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/', 'egress.scheme'],
    ['a line break', ({ url }) => `${url}/a\r\nHost: evil.test`, 'http.bad_url'],
    ['a tab in its scheme', ({ host }) => `ht\ttp://${host}/`, 'http.bad_url'],
    ['no scheme', ({ host }) => `//${host}/x`, 'http.bad_url'],
    ['a path that climbs', ({ url }) => `${url}/a/../b`, 'http.bad_url'],
    ['a path that climbs with backslashes', ({ url }) => `${url}/a\\..\\b`, 'http.bad_url'],
    ['an object', () => ({ href: 'x' }), 'http.bad_url'],
    ['nothing', () => null, 'expression.missing'],
    ['empty text', () => '', 'expression.missing'],
  ])('cannot have %s', async (_what, value, code) => {
    await using server = await echoUrl();
    expect(await follow(server, value(server))).toMatchObject({ error: { code } });
    expect(server.requests).toHaveLength(0);
  });

  test('does not lead elsewhere by a redirect', async () => {
    await using server = await loopback((request, response) => {
      const [, to] = (request.url ?? '').split('?to=');
      response.writeHead(302, { location: decodeURIComponent(to ?? '') }).end();
    });
    const codes = [];
    for (const to of [
      'http://10.0.0.1/',
      'https://10.0.0.1/',
      'http://169.254.169.254/',
      'https://evil.test/',
    ]) {
      const { error } = await follow(server, `${server.url}/?to=${encodeURIComponent(to)}`);
      codes.push((error as { code: string }).code);
    }
    expect(codes).toEqual([
      'egress.scheme',
      'egress.host_not_listed',
      'egress.scheme',
      'egress.host_not_listed',
    ]);
    const egress = [server.host, '10.0.0.1'];
    const to = `${server.url}/?to=${encodeURIComponent('https://10.0.0.1/')}`;
    expect(await follow(server, to, { flow: { egress } })).toMatchObject({
      error: { code: 'egress.private_address' },
    });
  });

  test('carries the credential of a connection to the hosts of the connection only', async () => {
    await using other = await loopback((request, response) =>
      response.end(JSON.stringify({ seen: request.headers.authorization ?? null })),
    );
    await using server = await loopback((request, response) =>
      response.end(JSON.stringify({ seen: request.headers.authorization ?? null })),
    );
    const crm = { type: 'http_bearer', hosts: [server.host] };
    const flow = { egress: [server.host, other.host], connections: { crm } };
    const values = { crm: { ...crm, credential: { token: 'hunter2-hunter2' } } };
    const more = { node: { connection: 'crm' }, flow, values };
    expect(await follow(server, server.url, more)).toMatchObject({ body: { seen: 'Bearer [secret]' } });
    expect(await follow(server, other.url, more)).toMatchObject({ error: { code: 'connection.host' } });
    expect(other.requests).toHaveLength(0);
  });
});

describe('a path', () => {
  const get = async (server: Loopback, file: string, node: object = {}) =>
    await send(
      server,
      { url: `${server.url}/repos/x/?ref=main`, path: '{{ input.user_variables.file }}', ...node },
      { variables: { file } },
    );

  test.each([
    ['docs/a b.md', '/repos/x/docs/a%20b.md?ref=main'],
    ['/docs/a.md', '/repos/x/docs/a.md?ref=main'],
    ['docs/', '/repos/x/docs/?ref=main'],
    ['a?b#c', '/repos/x/a%3Fb%23c?ref=main'],
    ['%2e%2e/b', '/repos/x/%252e%252e/b?ref=main'],
    ['a\\..\\b', '/repos/x/a%5C..%5Cb?ref=main'],
    ['https://evil.test', undefined],
    ['http:/evil.test/@x', '/repos/x/http%3A/evil.test/%40x?ref=main'],
    ['..', undefined],
    ['a/../../b', undefined],
    ['./a', undefined],
    ['//evil.test/x', undefined],
    ['a//b', undefined],
    ['a\r\nb', '/repos/x/a%0D%0Ab?ref=main'],
  ])('that is %j is sent as %s', async (file, sent) => {
    await using server = await echoUrl();
    expect(await get(server, file)).toMatchObject(
      sent === undefined ? { error: { code: 'http.bad_url' } } : { body: { url: sent } },
    );
  });

  test('has text around its values, and no missing value', async () => {
    await using server = await echoUrl();
    const path = 'files/{{ input.user_variables.file }}/history';
    expect(await get(server, 'a/b', { path })).toMatchObject({
      body: { url: '/repos/x/files/a/b/history?ref=main' },
    });
    expect(await get(server, '', { path })).toMatchObject({ error: { code: 'expression.missing' } });
  });
});

describe('a part of the response', () => {
  const items = Array.from({ length: 3_000 }, (_, id) => ({ id, note: 'x'.repeat(200) }));
  const list = () => loopback((_request, response) => response.end(JSON.stringify({ items })));

  test('is selected before the limit of outputs', async () => {
    await using server = await list();
    expect(await send(server, {})).toMatchObject({ error: { code: 'value.too_large' } });
    const select = '{{ body.items[id = 2999].id }}';
    expect(await send(server, { select })).toMatchObject({ status: 200, body: 2999 });
    const more = { variables: { first: 1 } };
    const slice = '{{ $map([0..2], function($i) { $$.body.items[$i].id + $$.input.user_variables.first }) }}';
    expect(await send(server, { select: slice }, more)).toMatchObject({ body: [1, 2, 3] });
  });

  test('is limited as any output, and costs steps as any expression', async () => {
    await using server = await list();
    expect(await send(server, { select: '{{ body.items.note }}' })).toMatchObject({
      error: { code: 'value.too_large' },
    });
    const endless = '{{ $sum(body.items.($x := id; $sum($$.body.items.(id * $x)))) }}';
    expect(await send(server, { select: endless })).toMatchObject({ error: { code: 'expression.timeout' } });
  });

  test('is that of an accepted response; that of an error is whole', async () => {
    await using server = await loopback((_request, response) => response.writeHead(409).end('{"a":{"b":1}}'));
    const select = '{{ body.a.b }}';
    expect(await send(server, { select, accept: [409] })).toMatchObject({ status: 409, body: 1 });
    expect(await send(server, { select })).toMatchObject({ error: { response: { body: { a: { b: 1 } } } } });
  });

  test.each([
    ['a body without end', {}, (response: ServerResponse) => writeForever(response)],
    [
      'a body without end, of which a part is wanted',
      { select: '{{ body.x }}' },
      (response: ServerResponse) => writeForever(response),
    ],
    ['a small body that is large once it is decoded', { select: '{{ body.x }}' }, sendBomb],
    ['a small body of text that is large once it is decoded', { response: 'text' }, sendBomb],
    ['a small body of bytes that is large once it is decoded', { response: 'base64' }, sendBomb],
  ])('of %s is refused', async (_what, node, answer) => {
    let written = () => 0;
    await using server = await loopback((_request, response) => {
      written = answer(response);
    });
    expect(await send(server, node)).toMatchObject({ error: { code: 'egress.too_large' } });
    expect(written()).toBeLessThan(50 * 1024 ** 2);
  });
});

/** 100 MB, as long as somebody reads them; counts what was taken. */
function writeForever(response: ServerResponse): () => number {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let bytes = 0;
  const write = () => {
    while (bytes < 100 * 1024 ** 2 && !response.destroyed) {
      bytes += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
  return () => bytes;
}

/** 100 MB once it is decoded. */
const bomb = gzipSync(Buffer.alloc(100 * 1024 ** 2, ' '));

function sendBomb(response: ServerResponse): () => number {
  response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
  return () => bomb.length;
}

describe('the headers of the response', () => {
  const withHeaders = () =>
    loopback((_request, response) => {
      response.writeHead(200, {
        ...{ 'Content-Type': 'application/json', ETag: '"1"', Link: '<x>; rel="next"' },
        'Set-Cookie': ['session=1; Expires=Sat, 21 Nov 2026 09:00:30 GMT', 'other=2'],
      });
      response.end('{}');
    });

  test('are those that the node names, in lower case', async () => {
    await using server = await withHeaders();
    const { headers } = await send(server, { response_headers: ['ETag', 'link', 'x-none'] });
    expect(headers).toEqual({ etag: '"1"', link: '<x>; rel="next"' });
  });

  test('have cookies only if the node names them, as a list', async () => {
    await using server = await withHeaders();
    expect((await send(server, {})).headers).not.toHaveProperty('set-cookie');
    const { headers } = await send(server, { response_headers: ['Set-Cookie'] });
    expect(headers).toEqual({
      'set-cookie': ['session=1; Expires=Sat, 21 Nov 2026 09:00:30 GMT', 'other=2'],
    });
  });

  test('name none of the members that every object has', async () => {
    await using server = await withHeaders();
    const { headers } = await send(server, { response_headers: ['constructor', 'toString'] });
    expect(headers).toEqual({});
  });

  test('of the request cannot be added by a value', async () => {
    await using server = await withHeaders();
    const variables = { id: 'a\r\nX-Admin: 1' };
    const headers = { 'x-a': '{{ input.user_variables.id }}' };
    expect(await send(server, { headers }, { variables })).toMatchObject({
      error: { code: 'http.bad_header' },
    });
    const form = {
      method: 'POST',
      body: {},
      headers: { 'content-type': 'multipart/form-data; {{ input.user_variables.id }}' },
    };
    expect(await send(server, form, { variables })).toMatchObject({ error: { code: 'http.bad_header' } });
    expect(server.requests).toHaveLength(0);
  });
});

test('a body of the largest size of which a part is selected is refused only above its limit', async () => {
  const pad = (bytes: number) => JSON.stringify({ pad: 'x'.repeat(bytes - '{"pad":"","n":7}'.length), n: 7 });
  await using server = await loopback((request, response) => {
    response.end(pad(limits.selectedBytes + (request.url === '/more' ? 1 : 0)));
  });
  const select = '{{ body.n }}';
  expect(await send(server, { select })).toMatchObject({ body: 7 });
  expect(await send(server, { select, url: `${server.url}/more` })).toMatchObject({
    error: { code: 'egress.too_large' },
  });
});
