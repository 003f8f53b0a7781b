// The node type `http`.
import { describe, expect, test } from 'vitest';
import { httpAnswer, runNodes, type Script } from '../scripted.ts';

const flow = { egress: ['api.example.com'] };
const send = async (node: object, script: Script = {}, variables = {}) =>
  await runNodes({ a: { type: 'http', url: 'https://api.example.com/x', ...node } }, script, {
    flow,
    options: { input: { message: '', user_variables: variables } },
  });

test('sends a GET and keeps status, headers and body', async () => {
  const http = () => ({ status: 201, headers: { etag: '1' }, body: { ok: true } });
  const { requests, outcome } = await runNodes(
    {
      a: { type: 'http', url: 'https://api.example.com/x', next: 'b' },
      b: { type: 'end', output: '{{ nodes.a }}' },
    },
    { http },
    { flow },
  );
  expect(requests).toEqual([
    {
      method: 'GET',
      url: 'https://api.example.com/x',
      headers: {},
      response: 'json',
      egress: ['api.example.com'],
    },
  ]);
  expect(outcome).toMatchObject({ response: { status: 201, headers: { etag: '1' }, body: { ok: true } } });
});

test('fills in query, headers and body', async () => {
  const { requests } = await send({
    method: 'POST',
    query: {
      q: 'a b',
      n: '{{ 1 + 1 }}',
      none: null,
      missing: '{{ state.x }}',
      list: ['x', 'y'],
      o: { z: 1 },
    },
    headers: { 'X-Run': '{{ run.id }}', 'x-empty': '{{ state.x }}' },
    body: { message: 'Hi {{ run.turn }}', n: '{{ 1 }}' },
    response: 'text',
  });
  expect(requests).toMatchObject([
    {
      url: 'https://api.example.com/x?q=a+b&n=2&list=x&list=y&o=%7B%22z%22%3A1%7D',
      headers: { 'x-run': 'run-1', 'content-type': 'application/json', 'idempotency-key': 'run-1.a.1' },
      body: '{"message":"Hi 1","n":1}',
      response: 'text',
    },
  ]);
  expect(requests[0]?.headers).not.toHaveProperty('x-empty');
});

test.each([
  ['POST', 'run-1.a.1'],
  ['PUT', 'run-1.a.1'],
  ['PATCH', 'run-1.a.1'],
  ['DELETE', 'run-1.a.1'],
  ['GET', undefined],
  ['HEAD', undefined],
])('%s carries the idempotency key %s', async (method, key) => {
  const { requests } = await send({ method });
  expect(requests[0]?.headers['idempotency-key']).toBe(key);
});

test('a body that is text is sent as it is, and own headers win', async () => {
  const { requests } = await send({
    method: 'POST',
    body: '<a>{{ 1 }}</a>',
    headers: { 'Content-Type': 'application/xml', 'Idempotency-Key': 'mine' },
  });
  expect(requests[0]).toMatchObject({
    body: '<a>1</a>',
    headers: { 'content-type': 'application/xml', 'idempotency-key': 'mine' },
  });
});

test.each([301, 400, 404, 429, 500, 503])('the answer %d is the error of that name', async (status) => {
  const { outcome, entries } = await send({}, { http: () => httpAnswer(status) });
  expect(outcome).toMatchObject({
    status: 'failed',
    error: { code: `http.${status}`, message: `GET api.example.com answered ${status}.` },
  });
  expect(entries.at(-2)).toMatchObject({ event: 'failed', status: 'failed' });
});

describe('data cannot change the structure of a URL', () => {
  test.each([
    ['a/b', 'a%2Fb'],
    ['?x=1&y', '%3Fx%3D1%26y'],
    ['#frag', '%23frag'],
    ['%2e%2e', '%252e%252e'],
    ['@evil.example', '%40evil.example'],
    ['ä €', '%C3%A4%20%E2%82%AC'],
    [1042, '1042'],
  ])('%j is sent as %s', async (id, sent) => {
    const { requests } = await send(
      { url: 'https://api.example.com/o/{{ input.user_variables.id }}' },
      {},
      { id },
    );
    expect(requests[0]?.url).toBe(`https://api.example.com/o/${sent}`);
  });

  test.each(['.', '..'])('a segment that is %j is refused', async (id) => {
    const { requests, outcome } = await send(
      { url: 'https://api.example.com/o/{{ input.user_variables.id }}/x' },
      {},
      { id },
    );
    expect(outcome).toMatchObject({ error: { code: 'http.bad_url' } });
    expect(requests).toEqual([]);
  });

  test.each([null, ''])('a value that is %j is refused', async (id) => {
    const { outcome } = await send(
      { url: 'https://api.example.com/o/{{ input.user_variables.id }}' },
      {},
      { id },
    );
    expect(outcome).toMatchObject({ error: { code: 'expression.missing' } });
  });

  test('a header of two lines is refused', async () => {
    const { outcome } = await send(
      { headers: { 'x-a': '{{ input.user_variables.id }}' } },
      {},
      { id: 'a\r\nx-b: 1' },
    );
    expect(outcome).toMatchObject({ error: { code: 'http.bad_header' } });
  });
});
