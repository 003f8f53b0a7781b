// The Tasks extension: the task of a call that takes long, from its handle to its result, for its own key only.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newRunId } from '#lib/ids.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { mcpClient, mcpRequest } from '#test/support/connector.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

const extensions = { 'io.modelcontextprotocol/tasks': {} };
const withForms = { extensions, elicitation: { form: {} } };

const handle = z.looseObject({ resultType: z.string(), taskId: z.string(), status: z.string() });

async function startTask(agent: TestAgent, message = 'Hello', capabilities: object = { extensions }) {
  const args = { registry_id: agent.a2aregistryid, message, wait_seconds: 0 };
  const params = { name: 'call_agent', arguments: args };
  return handle.parse((await mcpRequest(agent, 'tools/call', params, capabilities)).result);
}

const getTask = async (caller: TestCaller, taskId: string, capabilities: object = { extensions }) =>
  (await mcpRequest(caller, 'tasks/get', { taskId }, capabilities)).result;

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  await upstream.close();
});

test('a client that declares the extension is offered it, and no other', async () => {
  const client = await mcpClient(await newCaller());
  expect(client.getServerCapabilities()).toMatchObject({ extensions });
  await client.close();
  const legacy = await mcpClient(await newCaller(), 'legacy');
  expect(legacy.getServerCapabilities()).not.toHaveProperty('extensions');
  await legacy.close();
});

test('a call that takes long is answered with a task, which is polled to its result', async () => {
  const gate = unique('gate');
  const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
  const task = await startTask(agent);
  expect(task).toMatchObject({
    resultType: 'task',
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    ttlMs: expect.any(Number),
    pollIntervalMs: expect.any(Number),
  });
  await upstream.arrived(gate);
  expect(await getTask(agent, task.taskId)).toMatchObject({ resultType: 'complete', status: 'working' });
  upstream.open(gate);
  await idle();
  expect(await getTask(agent, task.taskId)).toMatchObject({
    resultType: 'complete',
    status: 'completed',
    taskId: task.taskId,
    result: { structuredContent: { task_id: task.taskId, state: 'completed' } },
  });
  expect(await runState(agent, task.taskId)).toMatchObject({ status: 'completed' });
});

test('without the extension the call is answered with the id of the task', async () => {
  const agent = await liveAgent({ flow: askingFlow() });
  const args = { registry_id: agent.a2aregistryid, message: 'Hello', wait_seconds: 0 };
  const { result } = await mcpRequest(agent, 'tools/call', { name: 'call_agent', arguments: args });
  expect(result).toMatchObject({
    resultType: 'complete',
    structuredContent: { state: 'working', task_id: expect.any(String) },
  });
});

test('a task that fails is completed with an error of the tool', async () => {
  const agent = await liveAgent({ flow: failingFlow() });
  const { taskId } = await startTask(agent, 'chairs');
  await idle();
  expect(await getTask(agent, taskId)).toMatchObject({
    status: 'completed',
    result: { isError: true, content: [{ text: expect.stringContaining('No stock of chairs.') }] },
  });
});

describe('tasks/update', () => {
  test('answers the question of a task', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const { taskId } = await startTask(agent, 'order 7', withForms);
    await idle();
    const asked = z
      .looseObject({ status: z.literal('input_required'), inputRequests: z.record(z.string(), z.unknown()) })
      .parse(await getTask(agent, taskId, withForms));
    const [[id = '', request] = []] = Object.entries(asked.inputRequests);
    expect(request).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Refund order 7? (yes, no)' },
    });
    const answer = (value: string) => ({
      taskId,
      inputResponses: { [id]: { action: 'accept', content: { answer: value } } },
    });
    const wrong = await mcpRequest(agent, 'tasks/update', answer('perhaps'), withForms);
    expect(wrong.error).toMatchObject({ code: -32602, message: expect.stringContaining('yes, no') });
    const right = await mcpRequest(agent, 'tasks/update', answer('yes'), withForms);
    expect(right.result).toMatchObject({ resultType: 'complete' });
    await idle();
    expect(await getTask(agent, taskId, withForms)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { text: 'yes' } },
    });
  });

  test('ignores answers to questions that are not open', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const { taskId } = await startTask(agent, 'order 7', withForms);
    await idle();
    const inputResponses = { other: { action: 'accept', content: { answer: 'yes' } } };
    const { result } = await mcpRequest(agent, 'tasks/update', { taskId, inputResponses }, withForms);
    expect(result).toMatchObject({ resultType: 'complete' });
    expect(await getTask(agent, taskId, withForms)).toMatchObject({ status: 'input_required' });
  });

  test('answers one question of several, and the others stay open', async () => {
    const branch = (name: string) => ({
      start: name,
      nodes: { [name]: { type: 'ask', prompt: `Which ${name}?`, schema: { type: 'string' } } },
    });
    const both = {
      type: 'parallel',
      branches: { size: branch('size'), color: branch('color') },
      next: 'done',
    };
    const done = { type: 'end', output: { answer: '{{ nodes.both.size }}, {{ nodes.both.color }}' } };
    const agent = await liveAgent({ flow: flow({ start: 'both', nodes: { both, done } }) });
    const { taskId } = await startTask(agent, 'Hello', withForms);
    await idle();
    const open = async () =>
      Object.keys(
        z
          .looseObject({
            status: z.literal('input_required'),
            inputRequests: z.record(z.string(), z.unknown()),
          })
          .parse(await getTask(agent, taskId, withForms)).inputRequests,
      );
    const [first = '', second = ''] = await open();
    const send = async (id: string, answer: string) =>
      await mcpRequest(
        agent,
        'tasks/update',
        { taskId, inputResponses: { [id]: { action: 'accept', content: { answer } } } },
        withForms,
      );
    expect((await send(first, 'one')).result).toMatchObject({ resultType: 'complete' });
    expect(await open()).toEqual([second]);
    await send(second, 'two');
    await idle();
    const ended = await getTask(agent, taskId, withForms);
    expect(ended).toMatchObject({
      status: 'completed',
      result: { structuredContent: { state: 'completed' } },
    });
    expect(JSON.stringify(ended)).toMatch(/one.*two|two.*one/);
  });

  test('a question is the result for a client that has no forms', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const { taskId } = await startTask(agent, 'order 7');
    await idle();
    expect(await getTask(agent, taskId)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { state: 'input_required' } },
    });
  });

  test('missing connections are a page, after which the task continues by itself', async () => {
    const crm = { type: 'http_bearer', hosts: ['api.crm.example'] };
    const agent = await liveAgent({ flow: flow({ connections: { crm } }) });
    const withPages = { extensions, elicitation: { url: {} } };
    const { taskId } = await startTask(agent, 'Hello', withPages);
    await idle();
    const asked = await getTask(agent, taskId, withPages);
    expect(asked).toMatchObject({ status: 'input_required' });
    expect(JSON.stringify(asked)).toContain('/public/agent-config?');
    await putConnection(agent, 'crm', bearer());
    await idle();
    expect(await getTask(agent, taskId, withPages)).toMatchObject({ status: 'completed' });
  });
});

test('a canceled task is canceled as a run, and stays so', async () => {
  const agent = await liveAgent({ flow: askingFlow() });
  const { taskId } = await startTask(agent);
  await idle();
  for (let times = 0; times < 2; times += 1) {
    const { result } = await mcpRequest(agent, 'tasks/cancel', { taskId }, { extensions });
    expect(result).toMatchObject({ resultType: 'complete' });
    expect(await getTask(agent, taskId)).toMatchObject({ status: 'cancelled' });
  }
  expect(await runState(agent, taskId)).toMatchObject({ status: 'canceled' });
});

describe('errors', () => {
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

  test.each(methods)('%s is refused to a client that does not declare the extension', async (method) => {
    const params = { taskId: newRunId(), inputResponses: {} };
    const { status, error } = await mcpRequest(await newCaller(), method, params);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: -32021 });
    expect(error?.data).toMatchObject({ requiredCapabilities: { extensions } });
  });

  test.each(methods)('%s gives one error for tasks of others and tasks that do not exist', async (method) => {
    const agent = await liveAgent({ flow: askingFlow(), visibility: 'public' });
    const { taskId } = await startTask(agent);
    const triggered = await startedRun(agent, 'Hello');
    const send = async (caller: TestCaller, id: string) =>
      (await mcpRequest(caller, method, { taskId: id, inputResponses: {} }, { extensions })).error;
    const missing = await send(agent, newRunId());
    expect(missing).toMatchObject({ code: -32602 });
    expect(await send(agent, 'x')).toEqual(missing);
    expect(await send(agent, triggered)).toEqual(missing);
    for (const caller of [await newCaller({ orgid: agent.orgid }), await newCaller()])
      expect(await send(caller, taskId)).toEqual(missing);
    expect(await getTask(agent, taskId)).not.toMatchObject({ status: 'cancelled' });
  });
});
