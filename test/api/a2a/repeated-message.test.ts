// A message that is sent again because its answer was lost: for clients that say so it starts one task.
import { taskStateToJSON } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, newMessage, officialClient, readTaskId, rpc, sending } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { type Effects, startEffects } from '#test/support/effects.ts';
import { liveAgent, payingFlow, type TestAgent } from '#test/support/flows.ts';

let effects: Effects;
beforeAll(async () => {
  effects = await startEffects();
});
afterAll(() => effects.close());

const payingAgent = () => liveAgent({ flow: payingFlow(effects), visibility: 'public' });
const named = { metadata: { agent_flow: { idempotent: true } } };
const payments = (taskId: string) => [...effects.of(taskId).values()];

const answer = z.looseObject({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});
type Answer = z.infer<typeof answer>;

const send = async (agent: TestAgent, message: object, configuration?: object): Promise<Answer> =>
  answer.parse(await rpc(agentUrls(agent).live, agent.key, 'SendMessage', { message, configuration }));

test('a message that comes several times at once, and later, starts one task, whose end all get', async () => {
  const agent = await payingAgent();
  const message = newMessage('Pay', named);
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(agent, message)));
  answers.push(await send(agent, message));
  const tasks = answers.map(({ result }) => result);
  const [id = ''] = tasks.map(readTaskId);
  for (const task of tasks)
    expect(task).toMatchObject({ task: { id, status: { state: 'TASK_STATE_COMPLETED' } } });
  expect(payments(id)).toEqual([1, 1]);
});

test('also if it is to return at once', async () => {
  const agent = await payingAgent();
  const message = newMessage('Pay', named);
  const [first, second] = [
    await send(agent, message, { returnImmediately: true }),
    await send(agent, message, { returnImmediately: true }),
  ];
  expect(readTaskId(second.result)).toBe(readTaskId(first.result));
});

test('also over a stream', async () => {
  const agent = await payingAgent();
  const client = await officialClient(agentUrls(agent).live, agent.key);
  const request = sending('Pay', named);
  const stream = async () => {
    const ids = new Set<string>();
    let state: string | undefined;
    for await (const { payload } of client.sendMessageStream(request)) {
      if (payload?.$case === 'task') ids.add(payload.value.id);
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate')
        state = payload.value.status && taskStateToJSON(payload.value.status.state);
    }
    return { ids: [...ids], state };
  };
  const streams = await Promise.all([stream(), stream()]);
  streams.push(await stream());
  const [id = ''] = streams.flatMap(({ ids }) => ids);
  for (const each of streams) expect(each).toEqual({ ids: [id], state: 'TASK_STATE_COMPLETED' });
  expect(payments(id)).toEqual([1, 1]);
});

test('other parts under the same id are refused', async () => {
  const agent = await payingAgent();
  const message = newMessage('Pay', named);
  await send(agent, message);
  const { error } = await send(agent, { ...message, parts: [{ text: 'Pay twice' }] });
  expect(error?.code).toBe(-32602);
  expect(JSON.stringify(error)).toContain('/params/message/messageId');
});

test('another key, another organisation and another agent have tasks of their own', async () => {
  const agent = await payingAgent();
  const message = newMessage('Pay', named);
  const { orgid } = agent;
  const colleague = await newCaller({ orgid });
  const stranger = await newCaller();
  const callers = [
    agent,
    { ...agent, key: colleague.key },
    { ...agent, key: stranger.key },
    await payingAgent(),
  ];
  const ids = [];
  for (const caller of callers) ids.push(readTaskId((await send(caller, message)).result));
  expect(new Set(ids).size).toBe(4);
});

test('clients that use one id for many messages start a task with each', async () => {
  const agent = await payingAgent();
  const message = newMessage('Pay');
  const ids = [await send(agent, message), await send(agent, message)].map(({ result }) =>
    readTaskId(result),
  );
  expect(new Set(ids).size).toBe(2);
});
