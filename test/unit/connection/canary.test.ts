// A host that repeats the credential it received in every way it can: the secret appears in no snapshot, log
// entry, error or prompt, nor in the errors that operators see.
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { flowSchema } from '#lib/flow/definition/flow.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import { createModelPort } from '#lib/model/port.ts';
import { logDefect } from '#lib/run/end.ts';
import { recordingLog } from '#test/support/recording-log.ts';
import { scripted, startedAt } from '../flow/scripted.ts';
import { connectWith, fetchTo } from './connections.ts';
import { type Loopback, loopback, readText } from './loopback.ts';

const canary = 'canary-7f3a"9c/e1';
const canaryForms = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  btoa(`ada:${canary}`),
];

const credentials = (url: string) => ({
  http_bearer: { token: canary },
  http_header: { header: 'X-Key', value: canary },
  http_query: { parameter: 'key', value: canary },
  http_basic: { username: 'ada', password: canary },
  oauth_client_credentials: { token_url: `${url}/token`, client_id: 'flows', client_secret: canary },
  oauth_user: { token_url: `${url}/token`, client_id: 'flows', refresh_token: canary },
});

/**
 * Says all that it knows, in header and body; it answers `/broken` with something that is not JSON, and
 * `/gone` with nothing.
 */
const echo = async () =>
  await loopback(async (request, response) => {
    const body = await readText(request);
    if (request.url?.startsWith('/gone')) return void request.socket.destroy();
    if (request.url === '/token') {
      const tokens = { access_token: canary, token_type: 'bearer', expires_in: 60, refresh_token: canary };
      return void response.end(JSON.stringify(tokens));
    }
    const { headers, url = '' } = request;
    const known = { headers, url, body, keys: decodeURIComponent(url) };
    const type = request.url?.startsWith('/broken')
      ? String(headers.authorization ?? canary)
      : 'application/json';
    response.setHeader('x-echo', encodeURIComponent(JSON.stringify(known)));
    response.setHeader('content-type', type);
    response.end(request.url?.startsWith('/broken') ? `${JSON.stringify(known)}!` : JSON.stringify(known));
  });

const flow = (server: Loopback) =>
  flowSchema.parse({
    version: 1,
    name: 'Canary',
    egress: [server.host],
    start: 'order',
    nodes: {
      order: { type: 'http', url: `${server.url}/orders`, next: 'sum' },
      sum: {
        type: 'llm',
        prompt: 'Sum up: {{ $string(nodes.order) }}',
        assign: { all: '{{ nodes.order }}' },
        next: 'gone',
      },
      gone: {
        type: 'http',
        url: `${server.url}/gone`,
        catch: [{ on: ['*'], next: 'broken' }],
        next: 'broken',
      },
      broken: { type: 'http', url: `${server.url}/broken` },
    },
  });

test.each(Object.keys(credentials('')))('a credential of type %s', async (type) => {
  await using server = await echo();
  const prompts: string[] = [];
  await using provider = await loopback(async (request, response) => {
    prompts.push(await readText(request));
    const message = { role: 'assistant', content: prompts.join() };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }] }));
  });
  const credential = Object.entries(credentials(server.url)).find(([name]) => name === type)?.[1];
  const values = { crm: { type, hosts: [server.host], credential } };
  const failures: unknown[] = [];
  const http = createHttpPort(connectWith({ fetch: server.fetch, values }));
  const connectionFetch: Ports['http'] = async (request, call) => {
    try {
      return await http({ ...request, connection: 'crm' }, call);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const small = { provider: 'openai-compatible', base_url: `${provider.url}/v1`, model: 'small' } as const;
  const models = { models: { small }, defaultModel: 'small', fetch: fetchTo(provider.host) };
  const { ports, entries, snapshots } = scripted();
  const outcome = await runFlow(compileFlow(flow(server)), {
    runId: 'run-1',
    input: { message: '', user_variables: {} },
    startedAt,
    ports: { ...ports, http: connectionFetch, model: createModelPort(models) },
    signal: new AbortController().signal,
  });

  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'http.bad_json', node_id: 'broken' } });
  expect(failures).toHaveLength(2);
  expect(prompts.join()).toContain('[secret]');
  expect(snapshots.length).toBeGreaterThan(1);
  const operatorLog: unknown[] = [];
  const log = recordingLog((...line) => operatorLog.push(line));
  for (const cause of failures) logDefect(log, { run_id: 'run-1' }, { code: 'internal', message: '', cause });
  expect(operatorLog).toHaveLength(2);
  const shown = [
    ...snapshots,
    JSON.stringify(operatorLog),
    ...prompts,
    JSON.stringify([entries, outcome]),
    inspect(failures, { depth: 20, showHidden: true }),
  ];
  for (const text of shown) for (const form of canaryForms) expect(text).not.toContain(form);
});
