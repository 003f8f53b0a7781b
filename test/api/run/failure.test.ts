// The error of a failed run for programs, everywhere that its text is: it has the same code in every answer.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { agentUrls, newMessage, post, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCallbackSecret, settled } from '#test/support/callbacks.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { mcpClient } from '#test/support/connector.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let receiver: Receiver;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  receiver = await startReceiver();
  return () => receiver.close();
});

const broken = flow({
  start: 'broken',
  nodes: { broken: { type: 'fail', code: 'no_stock', message: 'No stock of {{ input.message }}.' } },
});
const failure = { code: 'fail.no_stock', message: 'No stock of tea.', node_id: 'broken' };
const error = 'broken: No stock of tea. (fail.no_stock)';

const readRun = async ({ key }: TestCaller, workflow_id: string) =>
  (await call('getRunDetail', { key, params: { workflow_id } })).body;

async function failedRun(agent: TestAgent, message = 'tea') {
  const id = await startedRun(agent, message);
  await idle();
  return { id, detail: await readRun(agent, id) };
}

test('is in the status, the detail and the events of the run', async () => {
  const agent = await liveAgent({ flow: broken });
  const { id, detail } = await failedRun(agent);
  expect(detail).toMatchObject({ status: 'failed', error, failure });
  expect(await runState(agent, id)).toMatchObject({ status: 'failed', error, failure });
  const events = await fetch(`${serviceUrl()}/api/v1/runs/${id}/events`, {
    headers: { 'x-api-key': agent.key },
  });
  expect(await events.text()).toContain(`"failure":${JSON.stringify(failure)}`);
});

test('is in the callback', async () => {
  const agent = await liveAgent({ flow: broken });
  await newCallbackSecret(agent);
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const body = { message: 'tea', callback_url: receiver.url };
  const started = await call('startRun', { key: agent.key, params, body });
  await idle();
  await settled(agent, { run_id: started.body.workflow_id });
  const [sent] = receiver.received;
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({ type: 'run.failed', data: { error, failure } });
});

test('is not in the answer of the synchronous trigger, which has its documented members', async () => {
  const agent = await liveAgent({ flow: broken });
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const { body } = await call('triggerFlow', { key: agent.key, params, body: { message: 'tea' } });
  expect(body.error).toBe(error);
  expect(Object.keys(body).sort()).toEqual(
    ['workflow_id', 'response', 'status', 'logs', 'requires_input', 'error'].sort(),
  );
});

test('is data in the status of the task over JSON-RPC, HTTP+JSON, A2A 0.3 and in streams', async () => {
  const agent = await liveAgent({ flow: broken });
  const { live } = agentUrls(agent);
  const message = () => newMessage('tea');
  const parts = [{ text: error }, { data: { error: failure } }];
  const { result } = await rpc(live, agent.key, 'SendMessage', { message: message() });
  expect(result?.task).toMatchObject({ status: { state: 'TASK_STATE_FAILED', message: { parts } } });

  const id = readTaskId(result);
  const rest = await fetch(`${live}rest/tasks/${id}`, {
    headers: { 'x-api-key': agent.key, 'a2a-version': '1.0' },
  });
  expect(await rest.json()).toMatchObject({ status: { message: { parts } } });

  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendStreamingMessage',
    params: { message: message() },
  });
  const stream = await post(live, { text, key: agent.key });
  expect(await stream.text()).toContain(JSON.stringify({ error: failure }));

  const old = await rpc(`${live}v0.3`, agent.key, 'tasks/get', { id });
  const legacyParts = [
    { kind: 'text', text: error },
    { kind: 'data', data: { error: failure } },
  ];
  expect(old.result).toMatchObject({ status: { state: 'failed', message: { parts: legacyParts } } });
});

test('is structured content of a failed call over the connector, whose text is for people', async () => {
  const agent = await liveAgent({ flow: broken });
  const client = await mcpClient(agent);
  const result = await client.callTool({
    name: 'call_agent',
    arguments: { registry_id: agent.a2aregistryid, message: 'tea' },
  });
  expect(result).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: error }],
    structuredContent: { state: 'failed', error: failure },
  });
  await client.close();
});

test('has no secret in its message', async () => {
  const agent = await liveAgent({ flow: broken });
  const { detail } = await failedRun(agent, `Bearer ${'a1B2'.repeat(8)}`);
  expect(detail.failure).toMatchObject({ message: 'No stock of [redacted]' });
});

test('names the node inside a branch, but of a called flow the node that called it', async () => {
  const owner = await newCaller();
  const { flowid } = await liveAgent({ flow: broken }, owner);
  const calls = { type: 'flow', flowid, message: '{{ input.message }}', next: 'done' };
  const done = { type: 'end', output: {} };
  const caller = await liveAgent({ flow: flow({ start: 'ask', nodes: { ask: calls, done } }) }, owner);
  const { failure: called } = (await failedRun(caller)).detail;
  expect(called).toMatchObject({ code: 'fail.no_stock', node_id: 'ask' });
  expect(called?.message).toContain(flowid);

  const no = { type: 'fail', code: 'no', message: 'No.' };
  const branches = { a: { start: 'no', nodes: { no } }, b: { start: 'no_b', nodes: { no_b: no } } };
  const inside = flow({ start: 'fan', nodes: { fan: { type: 'parallel', branches, next: 'done' }, done } });
  const { detail } = await failedRun(await liveAgent({ flow: inside }));
  expect(detail.failure?.node_id).toMatch(/^no(_b)?$/);
});

test('of a limit that is met in a called flow names no node of that flow', async () => {
  const owner = await newCaller();
  const again = { type: 'transform', output: 1, next: 'inner_b' };
  const nodes = { inner_a: again, inner_b: { ...again, next: 'inner_a' } };
  const { flowid } = await liveAgent({ flow: flow({ start: 'inner_a', nodes }) }, owner);
  const calls = { type: 'flow', flowid, next: 'done' };
  const outer = flow({
    limits: { max_steps: 5 },
    start: 'ask',
    nodes: { ask: calls, done: { type: 'end', output: {} } },
  });
  const { detail } = await failedRun(await liveAgent({ flow: outer }, owner));
  expect(detail.failure).toMatchObject({ code: 'limit.steps', node_id: 'ask' });
  expect(detail.error).not.toContain('inner');
});

test('has a code of its own where the service has ended the run', async () => {
  const connections = { shop: { type: 'http_bearer', hosts: ['api.shop.example'] } };
  const agent = await liveAgent({ flow: flow({ connections }) });
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const { body } = await call('triggerFlow', { key: agent.key, params, body: { message: unique('m') } });
  const { failure: missing, error: text } = await readRun(agent, body.workflow_id);
  expect(missing).toEqual({ code: 'connection.missing', message: text });
});
