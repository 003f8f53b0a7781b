// Flows with `http` nodes against real servers on loopback, through the real port.
import { describe, expect, test } from 'vitest';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { runNodes } from '../flow/scripted.ts';
import { connectWith } from './connections.ts';
import { type Loopback, loopback } from './loopback.ts';

/** Runs one node `a` against the server; the response is its output, also after an error. */
async function send(
  server: Loopback,
  node: object,
  more: {
    readonly variables?: JsonObject;
    readonly flow?: JsonObject;
    readonly values?: Record<string, object>;
  } = {},
) {
  const { variables = {}, flow = {}, values = {} } = more;
  const port = createHttpPort(connectWith({ fetch: server.fetch, values }));
  const nodes = {
    a: { type: 'http', url: server.url, catch: [{ on: ['*'], next: 'z' }], next: 'z', ...node },
    z: { type: 'end', output: { a: '{{ nodes.a }}' } },
  };
  const { outcome } = await runNodes(
    nodes,
    { http: port },
    {
      flow: { egress: [server.host], ...flow },
      options: { input: { message: '', user_variables: variables } },
    },
  );
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  return (outcome.response as { a: Record<string, Json> }).a;
}

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
