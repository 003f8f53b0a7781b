// Flows with `http` nodes against real servers on loopback, through the real port.
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json } from '#lib/json/json.ts';
import { sendThroughFlow as send } from './http-flow.ts';
import { loopback } from './loopback.ts';

describe('a status that the node does not accept', () => {
  test('is an error that has the status, the headers and the body', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(422, { 'content-type': 'application/json', 'x-request-id': 'r1' });
      response.end('{"errors":[{"field":"email"}]}');
    });
    expect(await send(server, {})).toEqual({
      error: {
        code: 'http.422',
        message: `GET ${server.host} answered 422.`,
        response: {
          status: 422,
          headers: expect.objectContaining({ 'content-type': 'application/json', 'x-request-id': 'r1' }),
          body: { errors: [{ field: 'email' }] },
        },
      },
    });
  });

  test.each([
    ['long', () => `"${'ä'.repeat(limits.errorResponseBytes)}"`],
    ['long once it is escaped', () => JSON.stringify('\u0001'.repeat(limits.errorResponseBytes - 100))],
    ['deep', () => '['.repeat(limits.valueDepth) + ']'.repeat(limits.valueDepth)],
    ['large', () => JSON.stringify(Array.from({ length: 50_000 }, (_, n) => n))],
  ])('has the beginning of a body that is %s', async (_what, body) => {
    await using server = await loopback((_request, response) => {
      response.writeHead(500).end(body());
    });
    const { error } = await send(server, {});
    const { response } = error as { response: { body: Json; is_truncated: boolean } };
    expect(response.is_truncated).toBe(true);
    expect(response.body).toBeTypeOf('string');
    expect(Buffer.byteLength(JSON.stringify(response.body))).toBeLessThanOrEqual(limits.errorResponseBytes);
  });

  test('shows no credential of a connection that the host repeats', async () => {
    await using server = await loopback((request, response) => {
      const { authorization } = request.headers;
      response
        .writeHead(401, { 'x-echo': authorization })
        .end(JSON.stringify({ [`${authorization}`]: authorization }));
    });
    const crm = { type: 'http_bearer', hosts: [server.host] };
    const values = { crm: { ...crm, credential: { token: 'hunter2-hunter2' } } };
    const output = await send(server, { connection: 'crm' }, { flow: { connections: { crm } }, values });
    expect(JSON.stringify(output)).not.toContain('hunter2');
    expect(output).toMatchObject({
      error: {
        response: {
          headers: { 'x-echo': 'Bearer [secret]' },
          body: { 'Bearer [secret]': 'Bearer [secret]' },
        },
      },
    });
  });
});

describe('the statuses that a node accepts', () => {
  test.each([
    [[200, 404], 404, undefined],
    [['2xx', 409], 409, undefined],
    [['4xx'], 418, undefined],
    [['2xx', '3xx'], 304, undefined],
    [[404], 200, 'http.200'],
    [['2xx'], 404, 'http.404'],
    [[200], 201, 'http.201'],
  ])('are %j: %d gives the error %s', async (accept, status, code) => {
    await using server = await loopback((_request, response) => {
      response.writeHead(status, { 'x-a': 'b' }).end(status === 304 ? undefined : '{"found":false}');
    });
    const body = status === 304 ? null : { found: false };
    const output = await send(server, { accept });
    expect(output).toMatchObject(
      code === undefined ? { status, headers: { 'x-a': 'b' }, body } : { error: { code } },
    );
  });
});

/** Answers with the request as a server sees it: its headers and the fields of its form. */
const formServer = () =>
  loopback(async (request, response) => {
    const headers = new Headers({ 'content-type': request.headers['content-type'] ?? '' });
    const body = await readBytes(request);
    const form = await new Response(body, { headers }).formData();
    const fields = await Promise.all(
      [...form].map(async ([name, value]): Promise<Json> => {
        if (typeof value === 'string') return [name, value];
        const base64 = Buffer.from(await value.arrayBuffer()).toString('base64');
        return [name, { filename: value.name, media_type: value.type, base64 }];
      }),
    );
    response.end(JSON.stringify({ type: request.headers['content-type'], fields }));
  });

const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded' };
const multipart = { 'content-type': 'Multipart/Form-Data' };
const post = (headers: object, body: Json, more = {}) => ({ method: 'POST', headers, body, ...more });

describe('an object under the content type of a form', () => {
  test.each([
    ['application/x-www-form-urlencoded', urlencoded],
    ['multipart/form-data', multipart],
  ])('%s has a field for each member, and one for each value of a list', async (type, headers) => {
    await using server = await formServer();
    const body = {
      name: 'Ä & Co = 1+1',
      n: '{{ 1.5 }}',
      yes: true,
      ids: [1, 2],
      none: null,
      empty: '',
      no: [],
    };
    const { body: received } = await send(server, post(headers, body));
    expect(received).toEqual({
      type: expect.stringContaining(type),
      fields: [
        ['name', 'Ä & Co = 1+1'],
        ['n', '1.5'],
        ['yes', 'true'],
        ['ids', '1'],
        ['ids', '2'],
        ['empty', ''],
      ],
    });
  });

  test('has files from base64 and from text', async () => {
    await using server = await formServer();
    const file = {
      filename: 'a"b\r\nx: y.png',
      media_type: 'image/png',
      base64: '{{ input.user_variables.png }}',
    };
    const body = { file, notes: [{ filename: 'n.txt', text: 'Grüße' }], title: 'x' };
    const { body: received } = await send(server, post(multipart, body), { variables: { png: 'AP8BAg==' } });
    expect(received).toMatchObject({
      fields: [
        ['file', { filename: 'a"b\r\nx: y.png', media_type: 'image/png', base64: 'AP8BAg==' }],
        ['notes', { filename: 'n.txt', media_type: 'text/plain;charset=utf-8', base64: 'R3LDvMOfZQ==' }],
        ['title', 'x'],
      ],
    });
  });

  test('cannot be broken out of by a value', async () => {
    await using server = await formServer();
    const evil =
      'x\r\n------formdata-undici-0\r\nContent-Disposition: form-data; name="admin"\r\n\r\ntrue\r\n------formdata-undici-0--\r\n';
    const body = { note: evil, 'a"\r\n\r\nb': 'c', file: { filename: 'f', text: evil } };
    const { body: received } = await send(server, post(multipart, body));
    const base64 = Buffer.from(evil).toString('base64');
    expect(received).toMatchObject({
      fields: [
        ['note', evil],
        ['a"\r\n\r\nb', 'c'],
        ['file', { filename: 'f', base64 }],
      ],
    });
  });

  test.each([
    ['a nested object', urlencoded, { address: { city: 'Bonn' } }, 'body.address: '],
    ['an object in a list', urlencoded, { ids: [1, { a: 1 }] }, 'body.ids[1]: '],
    ['a file in a form without files', urlencoded, { f: { filename: 'x', text: 'y' } }, 'body.f: '],
    ['an object that is no file', multipart, { address: { city: 'Bonn' } }, 'body.address: '],
    ['a list in a list', multipart, { ids: [[1]] }, 'body.ids[0]: '],
    ['a file of two contents', multipart, { f: { filename: 'x', text: 'y', base64: 'eA==' } }, 'body.f: '],
    ['a file of no base64', multipart, { f: { filename: 'x', base64: 'no' } }, 'body.f: '],
    [
      'a media type of two lines',
      multipart,
      { f: { filename: 'x', text: 'y', media_type: 'a/b\r\nx-evil: 1' } },
      'body.f: ',
    ],
    ['a list', urlencoded, [1], 'body: '],
    ['too many fields', multipart, { a: Array.from({ length: 1001 }, () => 1) }, 'body: '],
  ])('has no %s', async (_what, headers, body, start) => {
    await using server = await formServer();
    expect(await send(server, post(headers, body))).toMatchObject({
      error: {
        code: 'http.bad_body',
        message: expect.stringMatching(`^${start.replace(/[[\]]/g, '\\$&')}expected`),
      },
    });
    expect(server.requests).toHaveLength(0);
  });

  test('is as large as any other body, after it is encoded', async () => {
    await using server = await formServer();
    const text = '\u4e2d'.repeat(40_000);
    const list = Array.from({ length: 8 }, () => '{{ input.user_variables.text }}');
    expect(await send(server, post(urlencoded, { list }), { variables: { text } })).toMatchObject({
      error: { code: 'value.too_large' },
    });
    expect(server.requests).toHaveLength(0);
  });

  test('may have more than a megabyte, as the limits say', async () => {
    await using server = await loopback(async (request, response) => {
      response.end(String((await readBytes(request)).length));
    });
    const text = 'x'.repeat(120_000);
    const list = Array.from({ length: 12 }, () => '{{ input.user_variables.text }}');
    const node = { method: 'POST', body: { list } };
    expect(await send(server, node, { variables: { text } })).toMatchObject({ body: expect.any(Number) });
  });

  test('that is text is sent as it is', async () => {
    await using server = await formServer();
    const { body } = await send(server, post(urlencoded, 'a=1&b=%2F'));
    expect(body).toEqual({
      type: 'application/x-www-form-urlencoded',
      fields: [
        ['a', '1'],
        ['b', '/'],
      ],
    });
  });
});

describe('bytes', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  const base64 = bytes.toString('base64');

  test('are sent from base64', async () => {
    await using server = await loopback(async (request, response) => {
      const received = (await readBytes(request)).toString('base64');
      response.end(JSON.stringify({ received, type: request.headers['content-type'] }));
    });
    const variables = { base64 };
    const node = { method: 'PUT', body_base64: '{{ input.user_variables.base64 }}' };
    expect(await send(server, node, { variables })).toMatchObject({
      body: { received: base64, type: 'application/octet-stream' },
    });
    const headers = { 'content-type': 'image/png' };
    expect(await send(server, { ...node, headers }, { variables })).toMatchObject({
      body: { type: 'image/png' },
    });
    expect(await send(server, node, { variables: { base64: 'a-_b' } })).toMatchObject({
      error: { code: 'http.bad_body', message: 'body_base64: expected base64.' },
    });
    expect(await send(server, node)).toMatchObject({ error: { code: 'http.bad_body' } });
  });

  test('are received as base64 with their media type', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
    });
    const { body } = await send(server, { response: 'base64' });
    expect(body).toEqual({ base64, media_type: 'image/png', size: 256 });
  });

  test('of an error are text or JSON', async () => {
    await using server = await loopback((_request, response) => response.writeHead(403).end('{"no":1}'));
    expect(await send(server, { response: 'base64' })).toMatchObject({
      error: { response: { body: { no: 1 } } },
    });
  });

  test('hold no credential that the host repeats', async () => {
    await using server = await loopback((request, response) => {
      response.end(Buffer.concat([bytes, Buffer.from(`${request.headers.authorization}`), bytes]));
    });
    const crm = { type: 'http_bearer', hosts: [server.host] };
    const values = { crm: { ...crm, credential: { token: 'hunter2-hunter2' } } };
    const node = { connection: 'crm', response: 'base64' };
    const { body } = await send(server, node, { flow: { connections: { crm } }, values });
    const { base64: received } = body as { base64: string };
    const expected = Buffer.concat([bytes, Buffer.from('Bearer [secret]'), bytes]);
    expect(Buffer.from(received, 'base64')).toEqual(expected);
  });

  test('that are too many for an output fail', async () => {
    await using server = await loopback((_request, response) =>
      response.end(Buffer.alloc(limits.variableBytes)),
    );
    expect(await send(server, { response: 'base64' })).toMatchObject({ error: { code: 'value.too_large' } });
  });
});

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
