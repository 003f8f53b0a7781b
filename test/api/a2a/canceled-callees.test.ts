// Agents of this service whose callers do not wait for them any more: they are canceled, and what they have used until
// then counts against the run that called them.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { type JsonObject, jsonObject } from '#lib/json/json.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { testedService } from '#test/support/tested-service.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer('a2a');
});
afterAll(() => server.stop());

const { host } = new URL(testedService().baseUrl);
const declared = { type: 'http_header', hosts: [host] };

/** Takes that many steps, and works until it is canceled then, without an answer where the request lasts so long. */
function endlessFlow(steps: number, seconds: number) {
  const nodes: Record<string, JsonObject> = { nap: { type: 'wait', seconds } };
  for (let n = 1; n < steps; n++)
    nodes[`s${n}`] = { type: 'transform', output: n, next: n + 1 < steps ? `s${n + 1}` : 'nap' };
  return flow({ start: steps > 1 ? 's1' : 'nap', nodes });
}
/** Longer than a request that waits; shorter than one. */
const [day, minute] = [86_400, 60];

async function callingFlow(caller: TestCaller, nodes: JsonObject, limits: JsonObject = {}) {
  const credential = { header: 'X-API-Key', value: caller.key };
  await putConnection(caller, 'agents', { ...declared, credential });
  const [start = ''] = Object.keys(nodes);
  const egress = [host, server.host];
  return await liveAgent(
    { flow: flow({ start, nodes, limits, egress, connections: { agents: declared } }) },
    caller,
  );
}

const ask = ({ a2aregistryid: agent }: TestAgent, more: JsonObject = {}) => ({
  type: 'a2a',
  agent,
  message: 'Hi',
  connection: 'agents',
  ...more,
});

const listTasks = async ({ key, workspaceid, flowid }: TestAgent) =>
  (await call('listRuns', { key, query: { workspaceid, flowid } })).body.items;

/** Resolves when the only task of the agent is canceled. `expect.poll` is not for concurrent tests. */
const canceledTask = (agent: TestAgent) =>
  vi.waitFor(async () => expect(await listTasks(agent)).toMatchObject([{ status: 'canceled' }]), 60_000);

async function trigger({ flowid, workspaceid, key }: TestAgent): Promise<JsonObject> {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return jsonObject.parse(
    JSON.parse((await call('triggerFlow', { key, params, body: { message: 'Go' } })).text),
  );
}

const caught = { catch: [{ on: ['timeout'], next: 'last' }] };
const last = { type: 'transform', output: 1, next: 'end' };
const end = { type: 'end', output: { text: 'Done.' } };

// They wait more than they work.
test.concurrent.each([
  ['has answered', day],
  ['has not answered its message yet', minute],
])('a task that %s when the time of its node is over is canceled', async (_when, seconds) => {
  const caller = await newCaller();
  const callee = await liveAgent({ flow: endlessFlow(1, seconds) }, caller);
  const node = ask(callee, { timeout_seconds: 1, ...caught, next: 'end' });
  const agent = await callingFlow(caller, { ask: node, last, end });
  expect(await trigger(agent)).toMatchObject({ status: 'completed' });
  await canceledTask(callee);
});

test.concurrent('the task of a run that fails is canceled', async () => {
  const caller = await newCaller();
  const callee = await liveAgent({ flow: endlessFlow(1, minute) }, caller);
  const agent = await callingFlow(caller, { ask: ask(callee, { timeout_seconds: 1, next: 'end' }), end });
  expect(await trigger(agent)).toMatchObject({ status: 'failed' });
  await canceledTask(callee);
});

describe.concurrent('a run that waits for the answer to a question of an agent', () => {
  const canceled = async () =>
    z.array(z.string()).parse(await (await fetch(`${server.url}/canceled`)).json());

  test('cancels the task of that agent with CancelTask', async () => {
    const caller = await newCaller();
    const callee = await liveAgent({ flow: askingFlow() }, caller);
    const agent = await callingFlow(caller, { ask: ask(callee, { next: 'end' }), end });
    const url = agentUrls(agent).live;
    const { result } = await rpc(url, agent.key, 'SendMessage', { message: newMessage('Go') });
    expect(result).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    const id = readTaskId(result);
    const stranger = await newCaller();
    expect(await rpc(url, stranger.key, 'CancelTask', { id }).catch(() => 'refused')).toBe('refused');
    expect(await listTasks(callee)).toMatchObject([{ status: 'input_required' }]);
    await rpc(url, agent.key, 'CancelTask', { id });
    await canceledTask(callee);
  });

  test('cancels it over REST, once', async () => {
    const caller = await newCaller();
    const before = (await canceled()).length;
    const node = { type: 'a2a', agent: `${server.url}/agent`, message: 'ask', next: 'end' };
    const agent = await callingFlow(caller, { ask: node, end });
    const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', {
      message: newMessage('Go'),
    });
    const params = { workspace_id: agent.workspaceid, workflow_id: readTaskId(result) };
    await call('cancelRun', { key: agent.key, params });
    await idle();
    expect(await canceled()).toHaveLength(before + 1);
    await call('cancelRun', { key: agent.key, params });
    await rpc(agentUrls(agent).live, agent.key, 'CancelTask', { id: readTaskId(result) });
    await idle();
    expect(await canceled()).toHaveLength(before + 1);
  });
});

describe.concurrent('what a canceled task has used', () => {
  const used = (steps: number) => ({ agent_flow: { used: { steps, model_calls: 0, tokens: 0 } } });

  test('is in the answer to CancelTask, for callers of the organisation of the agent', async () => {
    const callee = await liveAgent({ flow: endlessFlow(9, day), visibility: 'public' });
    const cancel = async ({ key }: TestCaller) => {
      const { result } = await rpc(agentUrls(callee).live, key, 'SendMessage', { message: newMessage('Go') });
      expect(result).not.toMatchObject({ task: { metadata: expect.anything() } });
      return (await rpc(agentUrls(callee).live, key, 'CancelTask', { id: readTaskId(result) })).result;
    };
    expect(await cancel(callee)).toMatchObject({ metadata: used(9) });
    expect(JSON.stringify(await cancel(await newCaller()))).not.toContain('agent_flow');
  });

  test.each([
    ['within', 13, { status: 'completed' }],
    ['beyond', 11, { status: 'failed', error: expect.stringContaining('(limit.steps)') }],
  ])('counts against the run that has called it: %s its limit', async (_what, max_steps, result) => {
    const caller = await newCaller();
    const callee = await liveAgent({ flow: endlessFlow(9, day) }, caller);
    const node = ask(callee, { timeout_seconds: 1, ...caught, next: 'end' });
    // A second wait, as what is canceled is charged when its agent has answered.
    const nap = { type: 'wait', seconds: 4, next: 'end' };
    const nodes = { ask: node, last: { ...last, next: 'nap' }, nap, end };
    expect(await trigger(await callingFlow(caller, nodes, { max_steps }))).toMatchObject(result);
  });

  test('is part of what that run reports to its own caller, also where it fails', async () => {
    const caller = await newCaller();
    const callee = await liveAgent({ flow: endlessFlow(9, day) }, caller);
    const agent = await callingFlow(caller, { ask: ask(callee, { timeout_seconds: 3, next: 'end' }), end });
    const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', {
      message: newMessage('Go'),
    });
    expect(result).toMatchObject({ task: { status: { state: 'TASK_STATE_FAILED' }, metadata: used(10) } });
    expect(await listTasks(callee)).toMatchObject([{ status: 'canceled' }]);
  });
});

test.concurrent('calls at the same time may each use what is left; the one that exceeds the limit ends the others', async () => {
  const caller = await newCaller();
  const steps: Record<string, JsonObject> = { done: end };
  for (let n = 1; n < 8; n++)
    steps[`s${n}`] = { type: 'transform', output: n, next: n < 7 ? `s${n + 1}` : 'done' };
  const quick = await liveAgent({ flow: flow({ start: 's1', nodes: steps }) }, caller);
  const slow = await liveAgent({ flow: endlessFlow(1, minute) }, caller);
  const branch = (id: string, agent: TestAgent) => ({ start: id, nodes: { [id]: ask(agent) } });
  const branches = { a: branch('x', quick), b: branch('y', quick), c: branch('z', slow) };
  const nodes = { all: { type: 'parallel', branches, next: 'end' }, end };
  const agent = await callingFlow(caller, nodes, { max_steps: 14 });
  expect(await trigger(agent)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('(limit.steps)'),
  });
  expect(await listTasks(quick)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  await canceledTask(slow);
});
