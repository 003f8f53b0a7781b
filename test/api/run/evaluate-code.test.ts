// Nodes with JavaScript, over HTTP: the function of the run invokes another function, which evaluates the code.
import { describe, expect, test } from 'vitest';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const computing = flow({
  start: 'sum',
  nodes: {
    sum: {
      type: 'code',
      input: { numbers: '{{ $split(input.message, " ") }}' },
      code: 'const numbers = input.numbers.map(Number);\nif (numbers.some(isNaN)) throw new Error("no number");\nreturn { total: numbers.reduce((a, b) => a + b, 0), at: Date.now() };',
      next: 'done',
      catch: [{ on: ['code.threw'], next: 'failed' }],
    },
    failed: { type: 'end', output: { error: '{{ nodes.sum.error }}' } },
    done: {
      type: 'end',
      output: {
        total: '{{ nodes.sum.total }}',
        late: '{{ nodes.sum.at < $toMillis(run.started_at) ? 1 : 0 }}',
      },
    },
  },
});

async function trigger(agent: TestAgent, message: string) {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  return await call('triggerFlow', { key: agent.key, params, body: { message } });
}

test('a run gets what the code returns, and its errors', async () => {
  const agent = await liveAgent({ flow: computing });
  const sum = await trigger(agent, '1 2 39');
  expect([sum.status, sum.body.response]).toEqual([200, { total: 42, late: 0 }]);
  const thrown = await trigger(agent, '1 two');
  expect([thrown.status, thrown.body.response]).toEqual([
    200,
    { error: { code: 'code.threw', message: 'line 2, column 41: Error: no number' } },
  ]);
});

describe('the Invoke API', () => {
  const endpoint = process.env.AWS_ENDPOINT_URL_LAMBDA ?? '';
  const path = (name: string) => `${endpoint}/2015-03-31/functions/${name}/invocations`;
  const name = process.env.CODE_FUNCTION_NAME ?? '';
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=local' };
  const event = { code: 'return input + 1', input: '1', now: 0, seed: 's', timeoutMs: 10 };
  const invoke = (url: string, init: RequestInit = {}) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(event), ...init });

  test('returns the outcome', async () => {
    const response = await invoke(path(name));
    expect([response.status, await response.json()]).toEqual([200, { json: '2' }]);
  });

  test('reports an error of the function in a header', async () => {
    const response = await invoke(path(name), { body: '{"code": 1}' });
    expect([response.status, response.headers.get('x-amz-function-error')]).toEqual([200, 'Unhandled']);
    expect(await response.json()).toMatchObject({ errorMessage: 'The event is not the evaluation of code.' });
  });

  test.each([
    ['another function', path('none'), {}, 404],
    ['another operation', `${endpoint}/2015-03-31/functions`, {}, 404],
    ['another method', path(name), { method: 'PUT' }, 404],
    ['no signature', path(name), { headers: {} }, 403],
  ])('refuses %s', async (_what, url, init, status) => {
    expect((await invoke(url, init)).status).toBe(status);
  });
});
