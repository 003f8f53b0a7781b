// What an exhausted budget lets start: nothing, whatever the way to ask for it. Triggers are in set.test.ts, schedules in
// ../trigger/fire-due.test.ts.
import { describe, expect, test } from 'vitest';
import { agentUrls, httpRefusal, newMessage, post, readTaskId, rpc } from '#test/support/a2a.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { mcpClient, readText } from '#test/support/connector.ts';
import { idle } from '#test/support/control.ts';
import { eventFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { runState, startRun } from '#test/support/run-calls.ts';

const exhausted = { code: 'budget_exhausted', status: 429 };
const detail = 'The budget of the organisation for this month is exhausted; an owner can raise it.';

const setLimit = async ({ key }: Pick<TestCaller, 'key'>, monthly_limit: number, stop = true) =>
  await call('setBudget', { key, body: { monthly_limit, stop } });

const runsOf = async ({ key, workspaceid }: TestAgent) =>
  (await call('listRuns', { key, query: { workspaceid } })).body.items;

const send = { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } };
const request = (method: string, params: object = send) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

describe('A2A', () => {
  test.each(['live', 'test', 'build', 'agent'] as const)('at the %s URL no task begins', async (name) => {
    const agent = await liveAgent();
    const url = agentUrls(agent)[name];
    await setLimit(agent, 0);
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const response = await post(url, { text: request(method), key: agent.key });
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('3600');
      expect(await response.json()).toMatchObject({ ...exhausted, detail });
    }
    for (const path of ['/message:send', '/message:stream'])
      expect(await httpRefusal(url, path, { key: agent.key, body: send })).toMatchObject({
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: detail,
        details: [{ reason: 'BUDGET_EXHAUSTED', domain: 'agent-flow' }],
      });
    expect(await runsOf(agent)).toEqual([]);
    await setLimit(agent, 0, false);
    await rpc(url, agent.key, 'SendMessage', send);
    expect(await runsOf(agent)).toHaveLength(1);
  });

  test('in the form of version 0.3, and for a task in the background', async () => {
    const agent = await liveAgent();
    const { live } = agentUrls(agent);
    const background = { ...send, configuration: { returnImmediately: true } };
    await rpc(live, agent.key, 'SendMessage', background);
    await idle();
    await setLimit(agent, 0);
    const old = {
      message: { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] },
    };
    const answers = [
      await post(`${live}v0.3`, {
        text: request('message/send', old),
        key: agent.key,
        headers: { 'a2a-version': '' },
      }),
      await post(live, { text: request('SendMessage', background), key: agent.key }),
    ];
    for (const answer of answers) expect(await answer.json()).toMatchObject(exhausted);
    expect(await runsOf(agent)).toHaveLength(1);
  });

  test('a caller of another organisation does not learn whose budget it is', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const guest = await newCaller();
    await setLimit(agent, 0);
    const response = await post(agentUrls(agent).live, { text: request('SendMessage'), key: guest.key });
    const problem = await response.json();
    expect(problem).toMatchObject(exhausted);
    expect(problem).not.toHaveProperty('detail');
  });

  test('a message that is sent again finds its task', async () => {
    const agent = await liveAgent();
    const { live } = agentUrls(agent);
    const metadata = { agent_flow: { idempotent: true } };
    const named = { message: newMessage('Hello', { metadata }) };
    const first = readTaskId((await rpc(live, agent.key, 'SendMessage', named)).result);
    await setLimit(agent, 0);
    expect(readTaskId((await rpc(live, agent.key, 'SendMessage', named)).result)).toBe(first);
  });
});

test('the connector tells the model, and not to try again at once', async () => {
  const agent = await liveAgent();
  const args = { registry_id: agent.a2aregistryid, message: 'Hello' };
  const client = await mcpClient(agent);
  await client.callTool({ name: 'call_agent', arguments: args });
  await setLimit(agent, 0);
  const result = await client.callTool({ name: 'call_agent', arguments: args });
  expect(result.isError).toBe(true);
  expect(readText(result)).toBe(detail);
  expect(await runsOf(agent)).toHaveLength(1);
  await client.close();
});

test('a webhook is accepted; its run ends before its first node, and can be run again', async () => {
  const agent = await liveAgent({ flow: eventFlow });
  await setLimit(agent, 0);
  const params = { flow_id: agent.flowid };
  const { body } = await call('acceptWebhook', { key: agent.key, params, body: { event: 'paid', data: {} } });
  await idle();
  const run = await runState(agent, body.triggerId);
  expect(run).toMatchObject({ status: 'failed', failure: { code: 'limit.budget', message: detail } });
  expect(run.failure).not.toHaveProperty('node_id');
  const replay = { key: agent.key, params: { workflow_id: body.triggerId } };
  const input = { message: 'again' };
  expect((await call('replayRun', { ...replay, body: { input } })).problem).toMatchObject(exhausted);
  const named = { input, a2aregistryid: agent.a2aregistryid };
  expect((await call('replayRun', { ...replay, body: named })).problem).toMatchObject(exhausted);
  await setLimit(agent, 1);
  expect((await call('replayRun', { ...replay, body: { input } })).status).toBe(202);
});

test('a run is not forked', async () => {
  const agent = await liveAgent();
  const environment = { params: { environment: 'live' }, query: { workspaceid: agent.workspaceid } };
  await call('setEnvironment', {
    key: agent.key,
    ...environment,
    body: { pins: {}, env: {}, keep_values: 'all' },
  });
  const { body } = await startRun(agent);
  await idle();
  await setLimit(agent, 0);
  const params = { workflow_id: body.workflow_id };
  expect((await call('forkRun', { key: agent.key, params, body: { from: 'done' } })).problem).toMatchObject(
    exhausted,
  );
});
