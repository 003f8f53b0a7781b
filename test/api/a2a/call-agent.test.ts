import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { readRun } from '#lib/run/run-items.ts';
import {
  agentUrls,
  asTask,
  newMessage,
  officialClient,
  readTaskId,
  refusal,
  rpc,
  sending,
} from '#test/support/a2a.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { eventually, runOfContext } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('200', () => {
  test('the official client sends, streams and gets tasks at the URL of the registry id', async () => {
    const agent = await liveAgent();
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    const task = asTask(await client.sendMessage(sending('Hello')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(await client.getTask({ id: task.id, tenant: '' })).toEqual(task);
    const cases: unknown[] = [];
    for await (const each of client.sendMessageStream(sending('Hello'))) cases.push(each.payload?.$case);
    expect(cases).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  });

  test('a key of another organisation may call a public agent, and can read only its own tasks', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const guest = await newCaller();
    const { agent: url } = agentUrls(agent);
    const task = asTask(await (await officialClient(url, guest.key)).sendMessage(sending('Hello')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect((await rpc(url, guest.key, 'GetTask', { id: task.id })).result).toMatchObject({ id: task.id });
    expect((await refusal(url, agent.key, 'GetTask', { id: task.id })).code).toBe(-32001);
  });

  test('a task is not found by another key of the organisation, nor at another agent', async () => {
    const agent = await liveAgent();
    const other = await liveAgent({}, agent);
    const sibling = await newCaller({ orgid: agent.orgid });
    const { agent: url } = agentUrls(agent);
    const task = asTask(await (await officialClient(url, agent.key)).sendMessage(sending('Hello')));
    for (const method of ['GetTask', 'CancelTask']) {
      expect((await refusal(url, sibling.key, method, { id: task.id })).code).toBe(-32001);
      expect((await refusal(agentUrls(other).agent, agent.key, method, { id: task.id })).code).toBe(-32001);
    }
    const message = newMessage('x', { taskId: task.id });
    expect((await refusal(url, sibling.key, 'SendMessage', { message })).code).toBe(-32001);
  });

  test('returnImmediately answers the submitted task, which the worker completes', async () => {
    const agent = await liveAgent();
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    const task = asTask(
      await client.sendMessage(sending('Hello', { configuration: { returnImmediately: true } })),
    );
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    expect(task.history).toHaveLength(1);
    await idle();
    const later = await client.getTask({ id: task.id, tenant: '' });
    expect(later.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(later.history).toEqual(task.history);
    expect(later.artifacts[0]?.parts[0]?.content?.value).toBe('Hello');
  });

  test('CancelTask ends the blocking call and aborts the node in progress', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const { agent: url } = agentUrls(agent);
    const id = await backgroundTask(url, agent.key);
    await upstream.arrived(gate);
    const { result } = await rpc(url, agent.key, 'CancelTask', { id });
    expect(result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    await upstream.abandoned(gate);
    expect((await rpc(url, agent.key, 'CancelTask', { id })).result).toEqual(result);
    await idle();
    expect((await rpc(url, agent.key, 'GetTask', { id })).result).toEqual(result);
  });

  test('a blocking call whose task is canceled returns the canceled task', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const { agent: url } = agentUrls(agent);
    const contextId = unique('context');
    const waiting = rpc(url, agent.key, 'SendMessage', { message: newMessage('x', { contextId }) });
    await upstream.arrived(gate);
    const id = await runOfContext(contextId);
    // From then on the runner writes nothing by which it would notice.
    await eventually(
      () => readRun(id),
      (run) => run?.generation === 1,
    );
    await rpc(url, agent.key, 'CancelTask', { id });
    expect((await waiting).result?.task).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    await upstream.abandoned(gate);
  });

  test('a task in the state working accepts no message', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const { agent: url } = agentUrls(agent);
    const taskId = await backgroundTask(url, agent.key);
    const { code, message } = await refusal(url, agent.key, 'SendMessage', {
      message: newMessage('x', { taskId }),
    });
    expect(code).toBe(-32004);
    expect(message).toContain('running');
    upstream.open(gate);
    await idle();
  });
});

describe('400', () => {
  test('a malformed id is reported', async () => {
    const { key } = await newCaller();
    const { problem } = await call('callAgent', { key, params: { registryId: 'build-1' }, body: {} });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/path/registryId']);
  });
});

describe('401', () => {
  test('a missing agent and one that the caller may not use give the same response', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller();
    const answers = await Promise.all(
      [agent.a2aregistryid, newRegistryId()].map((registryId) =>
        call('callAgent', { key, params: { registryId }, body: {} }),
      ),
    );
    const [foreign, missing] = answers.map(({ status, problem }) => ({
      status,
      problem: { ...problem, instance: '' },
    }));
    expect(foreign).toEqual(missing);
    expect(foreign?.status).toBe(401);
  });
});

async function backgroundTask(url: string, key: string): Promise<string> {
  const { result } = await rpc(url, key, 'SendMessage', {
    message: newMessage('x'),
    configuration: { returnImmediately: true },
  });
  return readTaskId(result);
}
