// The sizes of answers to the questions of a task, over both bindings.
import { expect, test } from 'vitest';
import {
  agentUrls,
  httpRefusal,
  newMessage,
  readTaskId,
  refusal,
  requestHttpJson,
  rpc,
} from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { liveAgent } from '#test/support/flows.ts';

/** Asks until the answer says that it is enough. */
const insatiableFlow = flow({
  start: 'more',
  nodes: {
    more: { type: 'ask', prompt: 'More?', next: 'enough' },
    enough: { type: 'switch', cases: [{ when: '{{ nodes.more.enough }}', next: 'done' }], default: 'more' },
    done: { type: 'end', output: { done: true } },
  },
});

/** An answer of 250 KB, of which the flow keeps little: its value is the data. */
const large = (taskId: string) =>
  newMessage('', { taskId, parts: [{ data: { enough: false } }, { text: 'x'.repeat(250 * 1024) }] });
const enough = (taskId: string) => newMessage('', { taskId, parts: [{ data: { enough: true } }] });
const limit = 4 * 1024 ** 2;

test('answers of more than 4 MB together are refused with the field in both bindings, and the question stays open', async () => {
  const agent = await liveAgent({ flow: insatiableFlow });
  const { live } = agentUrls(agent);
  const taskId = readTaskId((await rpc(live, agent.key, 'SendMessage', { message: newMessage('x') })).result);
  for (let bytes = 0; bytes + 260 * 1024 < limit; bytes += 250 * 1024) {
    const { result } = await rpc(live, agent.key, 'SendMessage', {
      message: large(taskId),
      configuration: { historyLength: 0 },
    });
    expect(result?.task).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  }
  const description = expect.stringContaining(`${limit} bytes`);
  for (const method of ['SendMessage', 'SendStreamingMessage']) {
    const { code, data } = await refusal(live, agent.key, method, { message: large(taskId) });
    expect([code, data?.[0]?.fieldViolations]).toEqual([
      -32602,
      [{ field: '/params/message/parts', description }],
    ]);
  }
  for (const path of ['/message:send', '/message:stream']) {
    const body = { message: large(taskId) };
    const { code, details } = await httpRefusal(live, path, { key: agent.key, body });
    expect([code, details[1]?.fieldViolations]).toEqual([400, [{ field: '/message/parts', description }]]);
  }
  const body = { message: enough(taskId), configuration: { historyLength: 0 } };
  const response = await requestHttpJson(live, '/message:send', { key: agent.key, body });
  expect(await response.json()).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
});

test('a task with answers of almost 4 MB can be read as a whole, over both bindings', async () => {
  const agent = await liveAgent({ flow: insatiableFlow });
  const { live } = agentUrls(agent);
  const taskId = readTaskId((await rpc(live, agent.key, 'SendMessage', { message: newMessage('x') })).result);
  for (let bytes = 0; bytes + 260 * 1024 < limit; bytes += 250 * 1024)
    await rpc(live, agent.key, 'SendMessage', {
      message: large(taskId),
      configuration: { historyLength: 0 },
    });
  const { result } = await rpc(live, agent.key, 'GetTask', { id: taskId });
  expect(JSON.stringify(result).length).toBeGreaterThan(3.9 * 1024 ** 2);
  const response = await requestHttpJson(live, `/tasks/${taskId}`, { key: agent.key });
  expect(await response.json()).toEqual(result);
});

test('one answer of more than 256 KB is refused in both bindings', async () => {
  const agent = await liveAgent({ flow: insatiableFlow });
  const { live } = agentUrls(agent);
  const taskId = readTaskId((await rpc(live, agent.key, 'SendMessage', { message: newMessage('x') })).result);
  const message = newMessage('x'.repeat(256 * 1024), { taskId });
  const description = expect.stringContaining(`${256 * 1024} bytes`);
  const { code, data } = await refusal(live, agent.key, 'SendMessage', { message });
  expect([code, data?.[0]?.fieldViolations]).toEqual([
    -32602,
    [{ field: '/params/message/parts', description }],
  ]);
  const { details } = await httpRefusal(live, '/message:send', { key: agent.key, body: { message } });
  expect(details[1]?.fieldViolations).toEqual([{ field: '/message/parts', description }]);
});
