// A2A v1.0.1 over HTTP+JSON (§11), from the outside: paths, verbs, types and statuses.
import { Task, TaskState } from '@a2a-js/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  agentUrls,
  asTask,
  httpRefusal,
  newMessage,
  officialClient,
  readTaskId,
  requestHttpJson,
  rpc,
  sending,
} from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { askingFlow, liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';

let agent: TestAgent;
let url: string;
beforeAll(async () => {
  agent = await liveAgent();
  url = agentUrls(agent).live;
});

const send = async (path: string, some: object = {}) =>
  await requestHttpJson(url, path, { key: agent.key, ...some });
const refuse = async (path: string, some: object = {}) =>
  await httpRefusal(url, path, { key: agent.key, ...some });
const newTask = async (some: Pick<TestAgent, 'flowid' | 'a2aregistryid' | 'key'> = agent) => {
  const body = { message: newMessage('Hello') };
  const response = await requestHttpJson(agentUrls(some).live, '/message:send', { key: some.key, body });
  return readTaskId(await response.json());
};

describe.each(['live', 'test', 'build', 'agent'] as const)(
  'the %s URL, with the official client',
  (which) => {
    test('sends, streams and gets', async () => {
      const client = await officialClient(agentUrls(agent)[which], agent.key, 'HTTP+JSON');
      const task = asTask(await client.sendMessage(sending('Hello')));
      expect(task.artifacts[0]?.parts[0]?.content?.value).toBe('Hello');
      const kinds: (string | undefined)[] = [];
      for await (const event of client.sendMessageStream(sending('x'))) kinds.push(event.payload?.$case);
      expect(kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
      const read = await client.getTask({ id: task.id, historyLength: 0, tenant: '' });
      expect(read).toMatchObject({ id: task.id, history: [] });
    });
  },
);

describe('the official client', () => {
  test('answers a question, subscribes, and cancels', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const client = await officialClient(agentUrls(asking).live, asking.key, 'HTTP+JSON');
    const asked = asTask(await client.sendMessage(sending('42')));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);

    const stream = client.resubscribeTask({ id: asked.id, tenant: '' });
    expect((await stream.next()).value?.payload?.$case).toBe('task');
    const done = asTask(await client.sendMessage(sending('yes', { taskId: asked.id })));
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const states: unknown[] = [];
    for await (const { payload } of stream)
      if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);

    const other = asTask(await client.sendMessage(sending('43')));
    const canceled = await client.cancelTask({ id: other.id, metadata: {}, tenant: '' });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });

  test('recognizes the errors of the protocol', async () => {
    const client = await officialClient(url, agent.key, 'HTTP+JSON');
    const id = await newTask();
    await expect(client.getTask({ id: crypto.randomUUID(), tenant: '' })).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
      statusCode: 404,
    });
    await expect(client.cancelTask({ id, metadata: {}, tenant: '' })).rejects.toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
      statusCode: 400,
    });
  });
});

describe('both bindings', () => {
  test('show the same task', async () => {
    const id = await newTask();
    const overHttp = await (await send(`/tasks/${id}`)).json();
    expect(overHttp).toEqual((await rpc(url, agent.key, 'GetTask', { id })).result);
    expect(Task.fromJSON(overHttp).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });
});

describe('a response', () => {
  test('is application/a2a+json and may not be cached', async () => {
    const response = await send('/message:send', { body: { message: newMessage('x') } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/a2a+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  test('to a stream is server-sent events, each a StreamResponse without an envelope', async () => {
    const replying = await liveAgent({ flow: replyingFlow() });
    const body = { message: newMessage('Hello') };
    const response = await requestHttpJson(agentUrls(replying).live, '/message:stream', {
      key: replying.key,
      body,
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
    expect(frames.map((frame) => Object.keys(JSON.parse(frame.replace(/^data: ?/, ''))))).toEqual([
      ['task'],
      ['statusUpdate'],
      ['statusUpdate'],
      ['artifactUpdate'],
      ['statusUpdate'],
    ]);
  });

  test.each(['GET', 'POST'])('a task that has ended cannot be subscribed to by %s', async (method) => {
    const error = await refuse(`/tasks/${await newTask()}:subscribe`, { method });
    expect(error).toMatchObject({ code: 400, reason: 'UNSUPPORTED_OPERATION' });
  });

  test.each(['GET', 'POST'])('a task that waits can be subscribed to by %s', async (method) => {
    const asking = await liveAgent({ flow: askingFlow() });
    const id = await newTask(asking);
    const abort = new AbortController();
    const response = await fetch(`${agentUrls(asking).live}rest/tasks/${id}:subscribe`, {
      method,
      headers: { 'x-api-key': asking.key, 'a2a-version': '1.0' },
      signal: abort.signal,
    });
    const first = await response.body?.getReader().read();
    abort.abort();
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^data: \{"task":\{"id"/);
  });
});

describe('a request', () => {
  test.each([
    ['application/json', 200],
    ['application/a2a+json; charset=utf-8', 200],
    ['text/plain', 415],
  ])('with a body of %s', async (type, status) => {
    const body = { message: newMessage('x') };
    const response = await send('/message:send', { body, headers: { 'content-type': type } });
    expect(response.status).toBe(status);
  });

  test('may have the colon of its path encoded, a slash at its end, and the version in the query', async () => {
    const body = { message: newMessage('x') };
    expect((await send('/message%3Asend', { body })).status).toBe(200);
    expect((await send('/message:send/', { body })).status).toBe(200);
    const headers = { 'a2a-version': '' };
    expect((await send('/message:send?A2A-Version=1.0&utm=x&utm=y', { body, headers })).status).toBe(200);
  });

  test('to cancel needs no body and no content type', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const id = await newTask(asking);
    const response = await requestHttpJson(agentUrls(asking).live, `/tasks/${id}:cancel`, {
      method: 'POST',
      key: asking.key,
    });
    expect(await response.json()).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  test('cannot replace the task of its path by another one in its query or body', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const [first, second] = [await newTask(asking), await newTask(asking)];
    const response = await requestHttpJson(agentUrls(asking).live, `/tasks/${first}:cancel?id=${second}`, {
      key: asking.key,
      body: { id: second },
    });
    expect(await response.json()).toMatchObject({ id: first, status: { state: 'TASK_STATE_CANCELED' } });
  });

  test('takes the length of the history from the query, in both spellings', async () => {
    const id = await newTask();
    for (const name of ['historyLength', 'history_length']) {
      const response = await send(`/tasks/${id}?${name}=0`);
      expect(Task.fromJSON(await response.json()).history).toEqual([]);
    }
  });

  test('HEAD is GET without the body', async () => {
    const response = await send(`/tasks/${await newTask()}`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('what does not exist', () => {
  test.each([
    ['GET', ''],
    ['GET', '/'],
    ['POST', '/message'],
    ['POST', '/message:unsend'],
    ['GET', '/acme/tasks'],
    ['POST', '/acme/message:send'],
    ['GET', '/tasks/1/2'],
    ['POST', '/tasks/1:pause'],
    ['GET', '/constructor'],
  ])('%s %s is 404', async (method, path) => {
    expect(await refuse(path, { method })).toMatchObject({
      code: 404,
      status: 'NOT_FOUND',
      reason: 'METHOD_NOT_FOUND',
    });
  });

  test.each([
    ['GET', '/message:send', 'POST'],
    ['DELETE', '/tasks', 'GET, HEAD'],
    ['PUT', '/tasks/1', 'GET, HEAD'],
    ['GET', '/tasks/1:cancel', 'POST'],
    ['HEAD', '/tasks/1:subscribe', 'GET, POST'],
    ['PATCH', '/tasks/1/pushNotificationConfigs', 'POST, GET, HEAD'],
    ['PUT', '/tasks/1/pushNotificationConfigs/2', 'GET, HEAD, DELETE'],
    ['POST', '/extendedAgentCard', 'GET, HEAD'],
  ])('%s %s is 405 with the methods of the path', async (method, path, allow) => {
    const response = await send(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });
});

describe('errors of the HTTP layer', () => {
  test.each([
    ['no key', { key: undefined }],
    ['a bad key', { key: 'x' }],
  ])(
    '%s is 401 in the form of the binding, with the challenge, which API Gateway renames',
    async (_, some) => {
      const error = await refuse('/tasks', some);
      expect(error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' });
      expect(error.headers.get('x-amzn-remapped-www-authenticate')).toContain('Bearer');
    },
  );

  test('an agent of another organisation and one that does not exist give the same answer', async () => {
    const { key } = await newCaller();
    const foreign = await refuse('/tasks', { key });
    const missing = await httpRefusal(agentUrls({ ...agent, flowid: 'no-such-flow' }).live, '/tasks', {
      key,
    });
    const readable = ({ headers: _, ...error }: typeof foreign) => error;
    expect(readable(foreign)).toEqual(readable(missing));
    expect(foreign.code).toBe(401);
  });

  test('a body that is too large is 413', async () => {
    const body = { message: newMessage('x'.repeat(1_100_000)) };
    expect(await refuse('/message:send', { body })).toMatchObject({
      code: 413,
      status: 'INVALID_ARGUMENT',
      reason: 'PAYLOAD_TOO_LARGE',
    });
  });
});
