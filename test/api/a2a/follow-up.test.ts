// Tasks that ask something: a message with their id is the answer. And clients that come to a task later.
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, asTask, newMessage, officialClient, refusal, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { eventually } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const newClient = async (agent: TestAgent) => await officialClient(agentUrls(agent).agent, agent.key);

async function askedTask() {
  const agent = await liveAgent({ flow: askingFlow() });
  const client = await newClient(agent);
  const task = asTask(await client.sendMessage(sending('order 7')));
  return { agent, client, task };
}

/** The states of the task in the status updates of a stream. */
async function readStates(
  stream: AsyncIterable<{ payload?: { $case: string; value: object } | undefined }>,
): Promise<(string | undefined)[]> {
  const said: (string | undefined)[] = [];
  for await (const { payload } of stream) {
    const value = payload?.value;
    const status = value && 'status' in value ? value.status : undefined;
    if (typeof status === 'object' && status && 'state' in status)
      said.push(TaskState[Number(status.state)]?.replace('TASK_STATE_', ''));
  }
  return said;
}

describe('a task that asks a question', () => {
  test('is answered by a message with its id, and completes', async () => {
    const { client, task } = await askedTask();
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(JSON.stringify(task.status?.message?.parts)).toContain('Refund order 7?');
    const done = asTask(await client.sendMessage(sending('yes', { taskId: task.id })));
    expect(done.id).toBe(task.id);
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(done.artifacts)).toContain('"value":"yes"');
  });

  test('sends its question to a streaming client and ends the stream; the answer may be streamed too', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const client = await newClient(agent);
    let taskId = '';
    const first = async function* () {
      for await (const response of client.sendMessageStream(sending('order 7'))) {
        if (response.payload?.$case === 'task') taskId = response.payload.value.id;
        yield response;
      }
    };
    expect(await readStates(first())).toEqual(['WORKING', 'INPUT_REQUIRED']);
    const second = await readStates(client.sendMessageStream(sending('no', { taskId })));
    expect([second[0], second.at(-1)]).toEqual(['WORKING', 'COMPLETED']);
  });

  test('does not wait for the end if the client does not', async () => {
    const { client, task } = await askedTask();
    const configuration = { returnImmediately: true };
    const answered = asTask(await client.sendMessage(sending('yes', { taskId: task.id, configuration })));
    expect(answered.status?.state).not.toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await idle();
    const { status } = await client.getTask({ id: task.id, tenant: '' });
    expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('accepts answers to several questions from several clients at the same time, each by the id of its question', async () => {
    const body = { start: 'sure', nodes: { sure: { type: 'ask', prompt: 'Publish {{ item }}?' } } };
    const each = { type: 'map', items: ['a', 'b'], body, next: 'done' };
    const done = { type: 'end', output: { all: '{{ nodes.each }}' } };
    const agent = await liveAgent({ flow: flow({ start: 'each', nodes: { each, done } }) });
    const client = await newClient(agent);
    const { id: taskId } = asTask(await client.sendMessage(sending('')));
    const configuration = { returnImmediately: true };
    const answer = (n: number) =>
      client.sendMessage(
        sending(`${n}`, { taskId, configuration, metadata: { request_id: `each.1.${n}.sure.1` } }),
      );
    await Promise.all([0, 1].map(answer));
    await idle();
    const task = await client.getTask({ id: taskId, tenant: '' });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(task.artifacts)).toContain('"all":["0","1"]');
  });

  test('refuses an invalid answer, and its question stays open', async () => {
    const { agent, client, task } = await askedTask();
    const message = newMessage('perhaps', { taskId: task.id });
    const { code, data } = await refusal(agentUrls(agent).agent, agent.key, 'SendMessage', { message });
    expect(code).toBe(-32602);
    expect(JSON.stringify(data)).toContain('yes, no');
    const { status } = await client.getTask({ id: task.id, tenant: '' });
    expect(status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  });

  test('accepts a message once, however often it is sent and even if another question is open by then', async () => {
    const question = (next: string) => ({ type: 'ask', prompt: `Then ${next}?`, next });
    const nodes = {
      first: question('second'),
      second: question('done'),
      done: { type: 'end', output: { answers: '{{ [nodes.first, nodes.second] }}' } },
    };
    const agent = await liveAgent({ flow: flow({ start: 'first', nodes }) });
    const client = await newClient(agent);
    const { id: taskId } = asTask(await client.sendMessage(sending('Go')));
    const send = async (text: string, messageId: string) =>
      asTask(await client.sendMessage(sending(text, { taskId, messageId })));
    await send('yes', 'm-1');
    const again = await send('yes', 'm-1');
    expect(again.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(JSON.stringify(again.status?.message?.parts)).toContain('Then done?');
    const done = await send('yes', 'm-2');
    expect(JSON.stringify(done.artifacts)).toContain('"answers":["yes","yes"]');
    expect(await send('yes', 'm-2')).toEqual(done);
    for (const messageId of ['m-1', 'm-2']) {
      const other = { message: newMessage('no', { taskId, messageId }) };
      const { code, data } = await refusal(agentUrls(agent).agent, agent.key, 'SendMessage', other);
      expect(code).toBe(-32602);
      expect(JSON.stringify(data)).toContain('/params/message/messageId');
    }
    const late = { message: newMessage('yes', { taskId, messageId: 'm-3' }) };
    const { code } = await refusal(agentUrls(agent).agent, agent.key, 'SendMessage', late);
    expect(code).toBe(-32004);
  });

  test('can be canceled instead', async () => {
    const { client, task } = await askedTask();
    const canceled = await client.cancelTask({ id: task.id, tenant: '', metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });
});

describe('SubscribeToTask', () => {
  test('sends the task first, then its updates until its end', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const client = await newClient(agent);
    const configuration = { returnImmediately: true };
    const { id } = asTask(await client.sendMessage(sending('', { configuration })));
    await upstream.arrived(gate);
    await eventually(
      () => client.getTask({ id, tenant: '' }),
      ({ status }) => status?.state === TaskState.TASK_STATE_WORKING,
    );
    const stream = client.resubscribeTask({ id, tenant: '' });
    const updates = (async function* () {
      for await (const response of stream) {
        if (response.payload?.$case === 'task') upstream.open(gate);
        yield response;
      }
    })();
    expect(await readStates(updates)).toEqual(['WORKING', 'COMPLETED']);
  });

  test('to a task that asks stays open, and receives what follows the answer of another request', async () => {
    const { client, task } = await askedTask();
    const stream = client.resubscribeTask({ id: task.id, tenant: '' });
    const answered = (async function* () {
      for await (const response of stream) {
        if (response.payload?.$case === 'task') await client.sendMessage(sending('yes', { taskId: task.id }));
        yield response;
      }
    })();
    const received = await readStates(answered);
    expect(received[0]).toBe('INPUT_REQUIRED');
    expect(received.at(-1)).toBe('COMPLETED');
  });

  test('is refused for a task that has ended, is missing or belongs to another caller', async () => {
    const { agent, client, task } = await askedTask();
    const url = agentUrls(agent).agent;
    const colleague = await newCaller({ orgid: agent.orgid });
    expect((await refusal(url, colleague.key, 'SubscribeToTask', { id: task.id })).code).toBe(-32001);
    expect((await refusal(url, agent.key, 'SubscribeToTask', { id: crypto.randomUUID() })).code).toBe(-32001);
    await client.sendMessage(sending('yes', { taskId: task.id }));
    expect((await refusal(url, agent.key, 'SubscribeToTask', { id: task.id })).code).toBe(-32004);
  });
});
