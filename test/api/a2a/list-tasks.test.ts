// ListTasks over HTTP, by the official client and by hand: what a page shows, its filters, and page tokens in
// the wrong hands.
import { ListTasksRequest, TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
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
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { askingFlow, failingFlow, liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';

const listed = z.strictObject({
  tasks: z.array(
    z.looseObject({
      id: z.string(),
      contextId: z.string(),
      status: z.looseObject({ state: z.string(), timestamp: z.string() }),
      history: z.array(z.looseObject({ messageId: z.string() })).optional(),
      artifacts: z.array(z.looseObject({})).optional(),
    }),
  ),
  nextPageToken: z.string(),
  pageSize: z.number(),
  totalSize: z.number(),
});

type Agent = Pick<TestAgent, 'flowid' | 'a2aregistryid' | 'key'>;

async function list(agent: Agent, params: object = {}) {
  const { result, error } = await rpc(agentUrls(agent).agent, agent.key, 'ListTasks', params);
  expect(error).toBeUndefined();
  return listed.parse(result);
}

const ids = ({ tasks }: z.infer<typeof listed>) => tasks.map(({ id }) => id);

async function send(
  agent: Agent,
  text: string,
  message: object = {},
  configuration?: object,
): Promise<string> {
  const params = { message: newMessage(text, message), configuration };
  const { result, error } = await rpc(agentUrls(agent).agent, agent.key, 'SendMessage', params);
  expect(error).toBeUndefined();
  return readTaskId(result);
}

describe('ListTasks', () => {
  test('answers an empty page to a caller without tasks, with all its members', async () => {
    expect(await list(await liveAgent())).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    });
  });

  test('lists the task whose state changed last first, and moves a task that changes to the beginning', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const [first, second] = [await send(agent, 'one'), await send(agent, 'two')];
    expect(ids(await list(agent))).toEqual([second, first]);
    await send(agent, 'yes', { taskId: first });
    const page = await list(agent);
    expect(page.tasks.map(({ id, status }) => [id, status.state])).toEqual([
      [first, 'TASK_STATE_COMPLETED'],
      [second, 'TASK_STATE_INPUT_REQUIRED'],
    ]);
  });

  test('shows tasks as GetTask does, without artifacts unless they are asked for', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const id = await send(agent, 'Hello');
    const { result } = await rpc(agentUrls(agent).agent, agent.key, 'GetTask', { id });
    const whole = await list(agent, { includeArtifacts: true });
    expect(whole.tasks).toEqual([result]);
    const { artifacts, ...rest } = z.looseObject({ artifacts: z.array(z.unknown()) }).parse(result);
    expect(artifacts).toHaveLength(1);
    expect((await list(agent)).tasks).toEqual([rest]);
    const [short] = (await list(agent, { historyLength: 1 })).tasks;
    expect(short?.history?.map(({ messageId }) => messageId)).toEqual(
      z
        .object({ history: z.array(z.object({ messageId: z.string() })) })
        .parse(result)
        .history.slice(-1)
        .map(({ messageId }) => messageId),
    );
    const [bare] = (await list(agent, { historyLength: 0 })).tasks;
    const { contextId, status, metadata } = rest;
    expect(bare).toEqual({ id, contextId, status, metadata });
  });

  test('shows the question, the error or the answer of each task in its status, without its history too', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const failing = await liveAgent({ flow: failingFlow() });
    const rejecting = await liveAgent({
      flow: flow({ start: 'no', nodes: { no: { type: 'end', as: 'rejected', output: { answer: 'No.' } } } }),
    });
    for (const [agent, text] of [
      [asking, 'Refund x?'],
      [failing, 'No stock of x.'],
      [rejecting, 'No.'],
    ] as const) {
      await send(agent, 'x');
      const [task] = (await list(agent, { historyLength: 0 })).tasks;
      expect(JSON.stringify(task?.status)).toContain(text);
    }
  });

  test('shows the link to the page for missing connections, as GetTask does', async () => {
    const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'], scope: 'user' } };
    const agent = await liveAgent({ flow: flow({ connections }) });
    await send(agent, 'x');
    for (const historyLength of [undefined, 0]) {
      const [task] = (await list(agent, { historyLength })).tasks;
      expect(task?.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(JSON.stringify(task?.status)).toContain('&token=');
    }
  });

  test('has pages that are full, whose tokens lead through all tasks once, and the total on each', async () => {
    const agent = await liveAgent();
    const sent: string[] = [];
    for (const text of ['a', 'b', 'c', 'd', 'e']) sent.unshift(await send(agent, text));
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    const seen: string[][] = [];
    let pageToken = '';
    do {
      const page = await client.listTasks(ListTasksRequest.fromJSON({ pageSize: 2, pageToken }));
      expect([page.totalSize, page.pageSize]).toEqual([5, 2]);
      seen.push(page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([sent.slice(0, 2), sent.slice(2, 4), sent.slice(4)]);
  });

  test('filters by context, by state and by the time of the status, which is included', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const first = await send(agent, 'one', { contextId: 'ctx-1' });
    const second = await send(agent, 'two', { contextId: 'ctx-2' });
    await send(agent, 'yes', { taskId: first });
    const third = await send(agent, 'three', { contextId: 'ctx-1' });
    const { tasks } = await list(agent);
    const at = tasks[1]?.status.timestamp ?? '';
    expect(ids(await list(agent, { contextId: 'ctx-1' }))).toEqual([third, first]);
    expect(ids(await list(agent, { status: 'TASK_STATE_INPUT_REQUIRED' }))).toEqual([third, second]);
    expect(ids(await list(agent, { status: TaskState.TASK_STATE_COMPLETED }))).toEqual([first]);
    expect(ids(await list(agent, { status: 'TASK_STATE_REJECTED' }))).toEqual([]);
    expect(ids(await list(agent, { statusTimestampAfter: at }))).toEqual([third, first]);
    expect(ids(await list(agent, { statusTimestampAfter: at.replace('Z', '0001Z') }))).toEqual([third]);
    expect(ids(await list(agent, { statusTimestampAfter: at.replace('Z', '+01:00') }))).toEqual([
      third,
      first,
      second,
    ]);
    expect(await list(agent, { contextId: 'ctx-1', status: 'TASK_STATE_COMPLETED' })).toMatchObject({
      tasks: [{ id: first }],
      totalSize: 1,
    });
    expect(
      ids(await list(agent, { context_id: 'ctx-2', page_size: '1', status: null, pageToken: '' })),
    ).toEqual([second]);
  });

  test('lists a task that was started without waiting, also once it is canceled', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await send(agent, 'x', {}, { returnImmediately: true });
    await rpc(agentUrls(agent).agent, agent.key, 'CancelTask', { id });
    expect(ids(await list(agent, { status: 'TASK_STATE_CANCELED' }))).toEqual([id]);
  });
});

describe('the tasks of others', () => {
  test('are not listed: those of another key, another organisation and another agent', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const other = await liveAgent({}, agent);
    const id = await send(agent, 'mine');
    const colleague: TestCaller = await newCaller({ orgid: agent.orgid });
    const stranger = await newCaller();
    for (const { key } of [colleague, stranger]) expect(ids(await list({ ...agent, key }))).toEqual([]);
    expect(ids(await list({ ...other, key: agent.key }))).toEqual([]);
    const theirs = await send({ ...agent, key: stranger.key }, 'theirs');
    expect(ids(await list({ ...agent, key: stranger.key }))).toEqual([theirs]);
    expect(ids(await list(agent))).toEqual([id]);
  });

  test('cannot be reached by the page token of another caller, agent or filter, nor by one that was changed', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const other = await liveAgent({}, agent);
    for (const text of ['a', 'b', 'c']) await send(agent, text, { contextId: 'ctx' });
    const { nextPageToken: pageToken } = await list(agent, { pageSize: 1 });
    const refused = async (by: Agent, params: object) => {
      const error = await refusal(agentUrls(by).agent, by.key, 'ListTasks', params);
      expect(error).toMatchObject({
        code: -32602,
        data: [{ fieldViolations: [{ field: '/params/pageToken' }] }],
      });
    };
    await refused({ ...agent, key: (await newCaller({ orgid: agent.orgid })).key }, { pageToken });
    await refused({ ...agent, key: (await newCaller()).key }, { pageToken });
    await refused({ ...other, key: agent.key }, { pageToken });
    for (const filter of [
      { contextId: 'ctx' },
      { status: 'TASK_STATE_COMPLETED' },
      { statusTimestampAfter: '2026-01-01T00:00:00Z' },
    ])
      await refused(agent, { pageToken, ...filter });
    for (const forged of ['x', pageToken.slice(1), `${pageToken}A`, `A${pageToken}`])
      await refused(agent, { pageToken: forged });
    expect(
      (await list(agent, { pageToken, pageSize: 100, includeArtifacts: true, historyLength: 0 })).tasks,
    ).toHaveLength(2);
  });
});

describe('parameters that are not valid are refused with their field:', () => {
  test.each([
    ['a page of nothing', { pageSize: 0 }, '/params/pageSize'],
    ['a page of more than 100 tasks', { pageSize: 101 }, '/params/pageSize'],
    ['a state that does not exist', { status: 'WORKING' }, '/params/status'],
    ['a negative history', { historyLength: -1 }, '/params/historyLength'],
    [
      'a time without a zone',
      { statusTimestampAfter: '2026-01-01T00:00:00' },
      '/params/statusTimestampAfter',
    ],
    ['a text for a boolean', { includeArtifacts: 'true' }, '/params/includeArtifacts'],
    ['a context that is too long', { contextId: 'x'.repeat(257) }, '/params/contextId'],
  ])('%s', async (_what, params, field) => {
    const agent = await liveAgent();
    const error = await refusal(agentUrls(agent).agent, agent.key, 'ListTasks', params);
    expect(error).toMatchObject({ code: -32602, data: [{ fieldViolations: [{ field }] }] });
  });
});

test('a task of a stream is in the list while it runs', async () => {
  const agent = await liveAgent({ flow: askingFlow() });
  const client = await officialClient(agentUrls(agent).agent, agent.key);
  for await (const { payload } of client.sendMessageStream(sending('x'))) {
    if (payload?.$case !== 'task') continue;
    const { id } = asTask(payload.value);
    expect(ids(await list(agent))).toEqual([id]);
  }
});
