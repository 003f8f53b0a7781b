// The limits of callers at the addresses of both bindings, with a host of its own whose limits are low enough to reach. No
// request to an agent is answered with 403: a key needs no permission for it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problem } from '#lib/http/problem.ts';
import { agentUrls, httpRefusal, newMessage, post, readTaskId, requestHttpJson } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';

const limits = { key_requests: 10, org_requests: 1_000_000, key_followed_runs: 1, org_followed_runs: 20 };

let host: ForkedHost;
let owner: TestAgent;
beforeAll(async () => {
  host = await forkHost({ limits });
  Object.assign(process.env, host.service.environment, { OWN_SERVICE_URL: host.service.baseUrl });
  owner = await liveAgent({ flow: askingFlow() });
});
afterAll(async () => {
  delete process.env.OWN_SERVICE_URL;
  await host.stop();
});

/** A key with all that a client needs: nothing. */
const newClient = async () => (await newCaller({ orgid: owner.orgid, scopes: [] })).key;
const url = () => agentUrls(owner).live;
const toText = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

test('a key without permissions may call an agent, over both bindings', async () => {
  const key = await newClient();
  const body = { message: newMessage('x') };
  expect((await requestHttpJson(url(), '/message:send', { key, body })).status).toBe(200);
  expect((await post(url(), { text: toText('SendMessage', body), key })).status).toBe(200);
});

describe('429', () => {
  /** A window of the limit may end in between, so it asks for two quotas and one more. */
  async function askTooOften(ask: () => Promise<Response>): Promise<Response> {
    for (let n = 0; n <= 2 * limits.key_requests; n += 1) {
      const response = await ask();
      if (response.status === 429) return response;
    }
    throw new Error('It was never refused.');
  }

  test('beyond the rate of the key, in the form of HTTP+JSON', async () => {
    const key = await newClient();
    const response = await askTooOften(() => requestHttpJson(url(), '/tasks', { key }));
    expect(response.headers.get('content-type')).toBe('application/a2a+json');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toEqual({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: expect.stringContaining('10 requests'),
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'RATE_LIMITED',
            domain: 'agent-flow',
          },
        ],
      },
    });
  });

  test('beyond the rate of the key, as problem details at the address of JSON-RPC', async () => {
    const key = await newClient();
    const response = await askTooOften(() => post(url(), { text: toText('ListTasks', {}), key }));
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(problem.parse(await response.json())).toMatchObject({ code: 'rate_limited', status: 429 });
  });

  test('for a second stream of a key that may follow one, until the first ends, over both bindings', async () => {
    const key = await newClient();
    const sent = await requestHttpJson(url(), '/message:send', { key, body: { message: newMessage('x') } });
    const id = readTaskId(await sent.json());
    const leave = new AbortController();
    const first = await fetch(`${url()}rest/tasks/${id}:subscribe`, {
      headers: { 'x-api-key': key, 'a2a-version': '1.0' },
      signal: leave.signal,
    });
    expect(first.status).toBe(200);
    const refused = await httpRefusal(url(), `/tasks/${id}:subscribe`, { key });
    expect(refused).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED', reason: 'TOO_MANY_RUNS' });
    const overRpc = await post(url(), { text: toText('SubscribeToTask', { id }), key });
    expect(problem.parse(await overRpc.json())).toMatchObject({ code: 'too_many_runs', status: 429 });
    leave.abort();
  });
});
