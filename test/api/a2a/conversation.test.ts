// The exchange between a client and a task, as the official client gets it: the messages of both, in order and as they
// were sent, and what the flow reads of an answer.
import { randomBytes } from 'node:crypto';
import { Message, Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import {
  agentUrls,
  asTask,
  newMessage,
  officialClient,
  post,
  refusal,
  rpc,
  sending,
} from '#test/support/a2a.ts';
import { card, flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';

const inputModes = ['text/plain', 'application/json', 'application/pdf', 'text/csv'];

async function newAgent(nodes: JsonObject, start: string) {
  const skill = { id: 's', name: 'S', description: 'd', inputModes };
  const agent = await liveAgent({ flow: flow({ start, nodes }), agent_card: card({ skills: [skill] }) });
  return {
    agent,
    url: agentUrls(agent).agent,
    client: await officialClient(agentUrls(agent).agent, agent.key),
  };
}

const trip = {
  hello: { type: 'reply', text: 'A trip, then.', next: 'where' },
  where: { type: 'ask', prompt: 'Where to?', next: 'note' },
  note: { type: 'reply', text: 'To {{ nodes.where }}.', data: { n: 1 }, next: 'when' },
  when: { type: 'ask', prompt: 'When?', next: 'done' },
  done: { type: 'end', output: { answer: '{{ nodes.where }}, {{ nodes.when }}' } },
};

const texts = ({ history }: Pick<Task, 'history'>) =>
  history.map(({ role, parts }) => [role === 1 ? 'client' : 'agent', parts[0]?.content?.value]);

const wholeTrip = [
  ['client', 'A trip'],
  ['agent', 'A trip, then.'],
  ['agent', 'Where to?'],
  ['client', 'Rome'],
  ['agent', 'To Rome.'],
  ['agent', 'When?'],
  ['client', 'Monday'],
];

/** Answers both questions of the flow; returns the task after each message. */
async function talk(client: Client) {
  const asked = asTask(await client.sendMessage(sending('A trip')));
  const taskId = asked.id;
  const again = asTask(await client.sendMessage(sending('Rome', { taskId, messageId: 'm-rome' })));
  const done = asTask(await client.sendMessage(sending('Monday', { taskId, messageId: 'm-monday' })));
  return { asked, again, done };
}

describe('the history of a task', () => {
  test('has the messages of both, and the question that is open is in the status', async () => {
    const { client } = await newAgent(trip, 'hello');
    const { asked, again, done } = await talk(client);
    expect([texts(asked), texts(again), texts(done)]).toEqual([
      wholeTrip.slice(0, 2),
      wholeTrip.slice(0, 5),
      wholeTrip,
    ]);
    const openIds = [asked, again].map(({ status }) => status?.message?.messageId);
    expect(openIds).toEqual([done.history[2]?.messageId, done.history[5]?.messageId]);
    expect([done.history[3]?.messageId, done.history[6]?.messageId]).toEqual(['m-rome', 'm-monday']);
    const ids = done.history.map(({ messageId, taskId, contextId }) => [messageId, taskId, contextId]);
    expect(new Set(ids.map(([id]) => id)).size).toBe(wholeTrip.length);
    expect(ids.every(([, task, context]) => task === done.id && context === done.contextId)).toBe(true);
    expect(await client.getTask({ id: done.id, tenant: '' })).toEqual(done);
  });

  test.each([0, 1, 2, 99])(
    'has the last %i messages, in the task of every operation',
    async (historyLength) => {
      const { agent, client, url } = await newAgent(trip, 'hello');
      const configuration = { historyLength };
      const first = asTask(await client.sendMessage(sending('A trip', { configuration })));
      const { id } = first;
      const last = (count: number) => wholeTrip.slice(0, count).slice(Math.max(0, count - historyLength));
      expect(texts(first)).toEqual(last(2));
      expect(texts(await client.getTask({ id, tenant: '', historyLength }))).toEqual(last(2));
      expect(texts(await firstTask(client.sendMessageStream(sending('A trip', { configuration }))))).toEqual(
        last(1),
      );
      const subscribed = await firstOfSubscription(url, agent.key, { id, historyLength });
      expect(texts(subscribed)).toEqual(last(2));
      const stream = client.sendMessageStream(sending('Rome', { taskId: id, configuration }));
      const seen = await firstTask(stream);
      expect(seen.history.length).toBeLessThanOrEqual(historyLength);
      const answered = await client.getTask({ id, tenant: '', historyLength });
      expect(texts(answered)).toEqual(last(5));
    },
  );

  test('has messages as they were sent: files, data, metadata and extensions', async () => {
    const { agent, client, url } = await newAgent({ q: { type: 'ask', prompt: 'Which?' } }, 'q');
    const { id, contextId } = asTask(await client.sendMessage(sending('x')));
    const answer = {
      messageId: 'm-2',
      role: 'ROLE_USER',
      parts: [
        { text: 'Here.', metadata: { part: 1 } },
        { data: { order: 7 }, mediaType: 'application/json' },
        { raw: 'cGRm', mediaType: 'application/pdf', filename: 'a.pdf' },
        { url: 'https://files.example/b.csv', mediaType: 'text/csv' },
      ],
      metadata: { trace: 't-1' },
      extensions: ['https://ext.example/v1'],
    };
    const message = { ...answer, taskId: id };
    const { result } = await rpc(url, agent.key, 'SendMessage', { message });
    expect(result).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    const { history } = await client.getTask({ id, tenant: '' });
    expect(history.map((each) => Message.toJSON(each)).at(-1)).toEqual({ ...answer, taskId: id, contextId });
  });

  test('has the answer of a colleague over REST, and none of another task', async () => {
    const { agent, client } = await newAgent(trip, 'hello');
    const { id } = asTask(await client.sendMessage(sending('A trip')));
    await talk(client);
    const params = { workspace_id: agent.workspaceid, workflow_id: id };
    const resumed = await call('resumeRun', { key: agent.key, params, body: { answer: 'Oslo' } });
    expect(resumed.status).toBe(202);
    await idle();
    const { history } = await client.getTask({ id, tenant: '' });
    expect(texts({ history })).toEqual([...wholeTrip.slice(0, 3), ['client', 'Oslo'], ['agent', 'To Oslo.']]);
  });

  test('of a working task has its latest message in the status, and after that in the history', async () => {
    const nodes = {
      say: { type: 'reply', text: 'Looking.', next: 'pause' },
      pause: { type: 'wait', seconds: 400, next: 'done' },
      done: { type: 'end', output: {} },
    };
    const { client } = await newAgent(nodes, 'say');
    const { id, status, history } = asTask(await client.sendMessage(sending('x')));
    expect(status?.state).toBe(TaskState.TASK_STATE_WORKING);
    expect(status?.message?.parts[0]?.content?.value).toBe('Looking.');
    expect(texts({ history })).toEqual([['client', 'x']]);
    const canceled = await client.cancelTask({ id, tenant: '', metadata: undefined });
    expect(canceled.status?.message).toBeUndefined();
    expect(texts(canceled)).toEqual([
      ['client', 'x'],
      ['agent', 'Looking.'],
    ]);
  });
});

async function firstTask(stream: ReturnType<Client['sendMessageStream']>): Promise<Task> {
  let task: Task | undefined;
  for await (const { payload } of stream) if (payload?.$case === 'task') task ??= payload.value;
  if (!task) throw new Error('The stream has no task.');
  return task;
}

/** The first event of a subscription, which the official client asks for without a history length. */
async function firstOfSubscription(url: string, key: string, params: object): Promise<Task> {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params });
  const reader = (await post(url, { key, text })).body?.getReader();
  const decoder = new TextDecoder();
  let received = '';
  while (!received.includes('\n\n')) received += decoder.decode((await reader?.read())?.value);
  await reader?.cancel();
  const { result } = JSON.parse(received.replace(/^data: ?/, '').split('\n\n')[0] ?? '');
  return Task.fromJSON(result.task);
}

describe('an answer', () => {
  const reading = {
    q: {
      type: 'ask',
      prompt: 'Which?',
      assign: {
        value: '{{ answer }}',
        message: '{{ answer.message }}',
        line: '{{ answer.message.messageId & " of " & $count(answer.message.parts) }}',
        files: '{{ [answer.message.parts[raw or url].filename] }}',
      },
      next: 'done',
    },
    done: { type: 'end', output: { out: '{{ nodes.q }}', state: '{{ state }}' } },
  };
  const pdf = { raw: 'cGRm', mediaType: 'application/pdf', filename: 'a.pdf' };
  const csv = { url: 'https://files.example/b.csv', mediaType: 'text/csv', filename: 'b.csv' };
  const asFile = { raw: 'cGRm', bytes: 3, media_type: 'application/pdf', filename: 'a.pdf' };
  const asLink = { url: 'https://files.example/b.csv', media_type: 'text/csv', filename: 'b.csv' };

  test.each<[string, object[], unknown, string[]]>([
    ['a text', [{ text: 'Rome' }], 'Rome', []],
    ['data', [{ data: { to: 'Rome' } }], { to: 'Rome' }, []],
    ['text beside data', [{ text: 'Please:' }, { data: [7] }], [7], []],
    ['a file alone', [pdf], asFile, ['a.pdf']],
    ['files alone', [pdf, csv], [asFile, asLink], ['a.pdf', 'b.csv']],
    ['text beside a file', [{ text: 'See' }, csv], 'See', ['b.csv']],
    ['an empty text', [{ text: '' }], '', []],
  ])('that is %s reaches the flow, with its whole message', async (_what, parts, value, files) => {
    const { agent, client, url } = await newAgent(reading, 'q');
    const { id: taskId } = asTask(await client.sendMessage(sending('x')));
    const extensions = ['https://ext.example/v1'];
    const message = newMessage('', { parts, taskId, messageId: 'm-2', metadata: { by: 'me' }, extensions });
    const { result } = await rpc(url, agent.key, 'SendMessage', { message });
    const state = { value, message, files, line: `m-2 of ${parts.length}` };
    expect(result).toMatchObject({ task: { artifacts: [{ parts: [{ data: { out: value, state } }] }] } });
  });

  test('over REST has no message', async () => {
    const { agent, client } = await newAgent(reading, 'q');
    const { id } = asTask(await client.sendMessage(sending('x')));
    const params = { workspace_id: agent.workspaceid, workflow_id: id };
    await call('resumeRun', { key: agent.key, params, body: { answer: { to: 'Rome' } } });
    await idle();
    const { artifacts } = await client.getTask({ id, tenant: '' });
    expect(artifacts[0]?.parts[0]?.content?.value).toMatchObject({
      out: { to: 'Rome' },
      state: { message: null },
    });
  });

  test('that is a file does not fit a question with choices', async () => {
    const nodes = { q: { type: 'ask', prompt: 'Sure?', choices: ['yes', 'no'] } };
    const { agent, client, url } = await newAgent(nodes, 'q');
    const { id } = asTask(await client.sendMessage(sending('x')));
    const message = newMessage('', { parts: [pdf], taskId: id });
    const { code, data } = await refusal(url, agent.key, 'SendMessage', { message });
    expect([code, JSON.stringify(data)]).toEqual([-32602, expect.stringContaining('yes, no')]);
  });

  test('under the id of another message is refused if any part, the metadata or the extensions differ', async () => {
    const { agent, client, url } = await newAgent(trip, 'hello');
    const { id } = asTask(await client.sendMessage(sending('A trip')));
    const send = (parts: object[], some: object) =>
      rpc(url, agent.key, 'SendMessage', {
        message: newMessage('', { parts, taskId: id, messageId: 'm-2', ...some }),
      });
    const parts = [{ text: 'Rome' }, csv];
    const metadata = { nights: 3, by: 'me' };
    expect((await send(parts, { metadata })).error).toBeUndefined();
    const same = { by: 'me', nights: 3, agent_flow: { left: { ms: 9 } } };
    expect((await send(parts, { metadata: same, extensions: [] })).error).toBeUndefined();
    expect((await send([{ text: 'Rome' }], { metadata })).error?.code).toBe(-32602);
    for (const other of [{}, { metadata: { ...metadata, nights: 4 } }, { metadata, extensions: ['urn:a'] }])
      expect((await send(parts, other)).error?.code).toBe(-32602);
    const { history } = await client.getTask({ id, tenant: '' });
    expect(history.filter(({ messageId }) => messageId === 'm-2')).toHaveLength(1);
  });

  test('that is too large is refused, and its question stays open', async () => {
    const { agent, client, url } = await newAgent({ q: { type: 'ask', prompt: 'Which?' } }, 'q');
    const { id } = asTask(await client.sendMessage(sending('x')));
    const send = (parts: object[]) =>
      rpc(url, agent.key, 'SendMessage', { message: newMessage('', { parts, taskId: id }) });
    const tooLarge = [[{ text: 'x'.repeat(210_000) }], [{ text: 'x' }, { ...pdf, raw: 'A'.repeat(280_000) }]];
    for (const parts of tooLarge)
      expect((await send(parts)).error).toMatchObject({
        code: -32602,
        data: [{ fieldViolations: [{ field: '/params/message/parts' }] }],
      });
    const raw = randomBytes(190_000).toString('base64');
    expect((await send([{ text: 'x' }, { ...pdf, raw }])).error).toBeUndefined();
  });

  test('is accepted from the caller of the task alone', async () => {
    const { agent, client, url } = await newAgent(reading, 'q');
    const { id } = asTask(await client.sendMessage(sending('x')));
    const colleague = await newCaller({ orgid: agent.orgid });
    const message = newMessage('mine', { taskId: id });
    expect((await refusal(url, colleague.key, 'SendMessage', { message })).code).toBe(-32001);
    const { key } = await newCaller();
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
    expect((await post(url, { key, text })).status).toBe(401);
    const { status } = await client.getTask({ id, tenant: '' });
    expect(status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  });
});

describe('a context', () => {
  const counting = { done: { type: 'end', output: { turn: '{{ run.turn }}' } } };
  const turnOf = ({ artifacts }: Task) => {
    const { turn } = Object(artifacts[0]?.parts[0]?.content?.value);
    return turn;
  };
  const sendTo = async (client: Client, some: object = {}) =>
    asTask(await client.sendMessage(sending('x', { ...some })));

  test('counts the messages that start a task in it, whoever named it', async () => {
    const { client } = await newAgent(counting, 'done');
    const first = await sendTo(client);
    const { contextId } = first;
    const again = [await sendTo(client, { contextId }), await sendTo(client, { contextId })];
    expect([first, ...again].map(turnOf)).toEqual([1, 2, 3]);
    expect(new Set(again.map((task) => task.contextId))).toEqual(new Set([contextId]));
    const own = { contextId: 'my-own' };
    expect([turnOf(await sendTo(client, own)), turnOf(await sendTo(client, own))]).toEqual([1, 2]);
    expect(turnOf(await sendTo(client, { contextId: `ctx-${crypto.randomUUID()}` }))).toBe(1);
  });

  test('gives messages that come at the same time different numbers', async () => {
    const { client } = await newAgent(counting, 'done');
    const { contextId } = await sendTo(client);
    const turns = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => turnOf(await sendTo(client, { contextId }))),
    );
    expect(turns.toSorted()).toEqual([2, 3, 4, 5, 6]);
  });

  test('keeps the number of a task whose question is answered, which is no message that starts one', async () => {
    const { client } = await newAgent(
      { q: { type: 'ask', prompt: 'Which?', next: 'done' }, ...counting },
      'q',
    );
    const { id, contextId } = await sendTo(client, { contextId: 'c' });
    expect(turnOf(await sendTo(client, { contextId, taskId: id }))).toBe(1);
    const { id: second } = await sendTo(client, { contextId });
    expect(turnOf(await sendTo(client, { taskId: second }))).toBe(2);
  });

  test('of a task that a message names by referenceTaskIds gets the new task', async () => {
    const { agent, client, url } = await newAgent(counting, 'done');
    const first = await sendTo(client);
    const missing = crypto.randomUUID();
    const next = await sendTo(client, { referenceTaskIds: [missing, first.id] });
    expect([next.contextId, turnOf(next)]).toEqual([first.contextId, 2]);
    expect(next.id).not.toBe(first.id);
    const named = await sendTo(client, { referenceTaskIds: [first.id], contextId: 'other' });
    expect([named.contextId, turnOf(named)]).toEqual(['other', 1]);
    const message = newMessage('x', { taskId: first.id });
    expect((await refusal(url, agent.key, 'SendMessage', { message })).code).toBe(-32004);
  });

  test('belongs to one caller and one agent: those of others are like missing ones', async () => {
    const { agent, client, url } = await newAgent(counting, 'done');
    const first = await sendTo(client);
    const { contextId, id } = first;
    const { key } = await newCaller({ orgid: agent.orgid });
    const colleague = await officialClient(url, key);
    expect(turnOf(await sendTo(colleague, { contextId }))).toBe(1);
    for (const referenceTaskIds of [[id], [crypto.randomUUID()]]) {
      const theirs = await sendTo(colleague, { referenceTaskIds });
      expect([theirs.contextId === contextId, turnOf(theirs)]).toEqual([false, 1]);
    }
    const flowOfAgent = flow({ start: 'done', nodes: counting });
    const otherAgent = await liveAgent({ flow: flowOfAgent }, agent);
    const elsewhere = await officialClient(agentUrls(otherAgent).agent, agent.key);
    expect(turnOf(await sendTo(elsewhere, { contextId }))).toBe(1);
    expect((await sendTo(elsewhere, { referenceTaskIds: [id] })).contextId).not.toBe(contextId);
    expect(turnOf(await sendTo(client, { contextId }))).toBe(2);
  });
});
