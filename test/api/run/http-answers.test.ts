// What callers of the API see of `http` nodes: busy hosts, errors with a body, forms, and URLs from data.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';

/** The times of the requests to each path, in ms. */
const times = new Map<string, number[]>();
const server = createServer((request, response) => void answer(request, response));
let url = '';
beforeAll(async () => {
  url = await listen(server, 0);
});
afterAll(() => closeServer(server));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const known = times.get(path) ?? [];
  times.set(path, [...known, performance.now()]);
  const [, kind, value = ''] = path.split('/');
  const body = await buffer(request);
  response.setHeader('content-type', 'application/json');
  if (kind === 'busy' && known.length === 0)
    response.writeHead(429, { 'retry-after': value }).end('{"busy":true}');
  else if (kind === 'conflict') response.writeHead(409).end('{"errors":[{"field":"email"}]}');
  else if (kind === 'form') response.end(JSON.stringify(await readForm(body, request)));
  else response.end(JSON.stringify({ path, next: `${url}/page/2` }));
}

async function readForm(body: Buffer, { headers }: IncomingMessage) {
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
  const file = form.get('file');
  return { note: form.get('note'), file: file instanceof File && [file.name, file.type, await file.text()] };
}

const agentOf = (nodes: JsonObject) =>
  liveAgent({ flow: flow({ egress: [new URL(url).host], start: 'a', nodes }) });
const end = (output: JsonObject) => ({ type: 'end', output });

async function trigger(agent: TestAgent, body: object = {}) {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  return (await call('triggerFlow', { key: agent.key, params, body: { message: '', ...body } })).body;
}

/** As a caller looks who waits for news until the run is over. */
async function ended({ key, workspaceid }: TestAgent, workflow_id: string) {
  const params = { workspace_id: workspaceid, workflow_id };
  let etag = '';
  for (;;) {
    const headers = { 'if-none-match': etag };
    const answer = await call('getRun', { key, params, query: { wait: '20' }, headers });
    if (answer.status === 200 && ['completed', 'failed'].includes(answer.body.status)) return answer.body;
    etag = answer.headers.get('etag') ?? '';
  }
}

const retry = { max_attempts: 2, delay_ms: 1, on: ['http.429'] };
const gap = (path: string) => {
  const [first = 0, second = 0] = times.get(path) ?? [];
  return second - first;
};

test.concurrent('a request is repeated after the time that its host asks for', async () => {
  const path = '/busy/1';
  const agent = await agentOf({
    a: { type: 'http', url: `${url}${path}`, retry, next: 'z' },
    z: end({ path: '{{ nodes.a.body.path }}' }),
  });
  expect(await trigger(agent)).toMatchObject({ status: 'completed', response: { path } });
  expect(gap(path)).toBeGreaterThanOrEqual(990);
});

test.concurrent('a run in the background is paused for a longer time, and then continues', async () => {
  const path = '/busy/6';
  const agent = await agentOf({
    a: { type: 'http', url: `${url}${path}`, retry, next: 'z' },
    z: end({ path: '{{ nodes.a.body.path }}' }),
  });
  const workflow_id = await startedRun(agent);
  const body = await ended(agent, workflow_id);
  expect(body).toMatchObject({ status: 'completed', response: { path } });
  expect(body.logs.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['retry', 'paused', 'resumed', 'completed']),
  );
  expect(gap(path)).toBeGreaterThanOrEqual(5_900);
});

test.concurrent('the body of an error is there after catch, or accepted', async () => {
  const caught = await agentOf({
    a: { type: 'http', url: `${url}/conflict`, catch: [{ on: ['http.409'], next: 'z' }], next: 'z' },
    z: end({ field: '{{ nodes.a.error.response.body.errors[0].field }}' }),
  });
  expect(await trigger(caught)).toMatchObject({ status: 'completed', response: { field: 'email' } });
  const accepted = await agentOf({
    a: { type: 'http', url: `${url}/conflict`, accept: ['2xx', 409], next: 'z' },
    z: end({ a: '{{ [nodes.a.status, nodes.a.body.errors[0].field] }}' }),
  });
  expect(await trigger(accepted)).toMatchObject({ status: 'completed', response: { a: [409, 'email'] } });
});

test.concurrent('an object is sent as a form with a file', async () => {
  const agent = await agentOf({
    a: {
      type: 'http',
      method: 'POST',
      url: `${url}/form`,
      headers: { 'content-type': 'multipart/form-data' },
      body: {
        note: '{{ input.user_variables.note }}',
        file: { filename: 'a.csv', media_type: 'text/csv', text: 'a;b' },
      },
      next: 'z',
    },
    z: end({ a: '{{ nodes.a.body }}' }),
  });
  const note = 'x\r\n--boundary\r\nContent-Disposition: form-data; name="file"\r\n\r\ny';
  expect(await trigger(agent, { user_variables: { note } })).toMatchObject({
    response: { a: { note, file: ['a.csv', 'text/csv', 'a;b'] } },
  });
});

test.concurrent('a URL from data reaches the hosts of egress and no other', async () => {
  const agent = await agentOf({
    a: { type: 'http', url: `${url}/page/1`, next: 'b' },
    b: {
      type: 'http',
      url: '{{ input.user_variables.next ?? nodes.a.body.next }}',
      select: '{{ body.path }}',
      next: 'z',
    },
    z: end({ path: '{{ nodes.b.body }}' }),
  });
  expect(await trigger(agent)).toMatchObject({ status: 'completed', response: { path: '/page/2' } });
  const next = 'https://evil.example/';
  const refused = await trigger(agent, { user_variables: { next } });
  expect(refused).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('egress.host_not_listed'),
  });
});
