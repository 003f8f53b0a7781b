// A2A 0.3 at an address of its own, with the official client of that version and by raw requests.

import { legacyPushNotificationToV1StreamResponse } from '@a2a-js/sdk/compat/v0_3';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from 'a2a-js-sdk-0.3/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, newMessage, post, readTaskId, rpc } from '#test/support/a2a.ts';
import { card } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, failingFlow, liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { createConfig, delivered } from '#test/support/push.ts';
import { type ReceivedRequest, type Receiver, startRequestReceiver } from '#test/support/receiver.ts';

let agent: TestAgent;
let url: string;
beforeAll(async () => {
  agent = await liveAgent({
    agent_card: card({ defaultInputModes: ['text/plain', 'image/png', 'application/json'] }),
  });
  url = agentUrls(agent).live;
});

async function newClient(some: TestAgent, base = agentUrls(some).live) {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-api-key', some.key);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return await factory.createFromUrl(`${base}v0.3/`);
}

const message = (text: string, some: object = {}) => ({
  kind: 'message' as const,
  messageId: crypto.randomUUID(),
  role: 'user' as const,
  parts: [{ kind: 'text' as const, text }],
  ...some,
});

const call = async (method: string, params: unknown, some: { url?: string; key?: string } = {}) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 'r-1', method, params });
  const response = await post(`${some.url ?? url}v0.3`, {
    text,
    key: some.key ?? agent.key,
    headers: { 'a2a-version': '' },
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

describe.each(['live', 'test', 'agent'] as const)('a client of 0.3 at the %s URL', (which) => {
  test('finds the card, sends, streams, gets and is answered in the form of 0.3', async () => {
    const client = await newClient(agent, agentUrls(agent)[which]);
    expect(await client.getAgentCard()).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${which === 'agent' ? url : agentUrls(agent)[which]}v0.3`,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true },
      security: [{ apiKey: [] }],
    });
    const task = await client.sendMessage({ message: message('Hello') });
    expect(task).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ artifactId: 'response', parts: [{ kind: 'text', text: 'Hello' }] }],
      history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }],
    });
    const events: unknown[] = [];
    for await (const event of client.sendMessageStream({ message: message('x') })) events.push(event);
    expect(events).toMatchObject([
      { kind: 'task', status: { state: 'working' } },
      { kind: 'artifact-update', lastChunk: true },
      { kind: 'status-update', status: { state: 'completed' }, final: true },
    ]);
    expect(await client.getTask({ id: 'id' in task ? task.id : '' })).toEqual(task);
  });
});

describe('a client of 0.3', () => {
  test('answers a question, whose stream ends with it', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const client = await newClient(asking);
    const events: Record<string, unknown>[] = [];
    for await (const event of client.sendMessageStream({ message: message('42') })) events.push({ ...event });
    expect(events.at(-1)).toMatchObject({
      kind: 'status-update',
      status: { state: 'input-required', message: { role: 'agent' } },
      final: true,
    });
    const taskId = String(events.at(-1)?.taskId);
    const done = await client.sendMessage({ message: message('yes', { taskId }) });
    expect(done).toMatchObject({ kind: 'task', id: taskId, status: { state: 'completed' } });
  });

  test('subscribes to a task again, and receives its end', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const client = await newClient(asking);
    const asked = await client.sendMessage({ message: message('42') });
    const id = 'id' in asked ? asked.id : '';
    const stream = client.resubscribeTask({ id });
    expect((await stream.next()).value).toMatchObject({ kind: 'task', id });
    await client.sendMessage({ message: message('yes', { taskId: id }) });
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({
      kind: 'status-update',
      status: { state: 'completed' },
      final: true,
    });
  });

  test('cancels a task, once', async () => {
    const asking = await liveAgent({ flow: askingFlow() });
    const client = await newClient(asking);
    const asked = await client.sendMessage({ message: message('42') });
    const id = 'id' in asked ? asked.id : '';
    expect(await client.cancelTask({ id })).toMatchObject({ status: { state: 'canceled' } });
    const { key } = asking;
    const ended = await call('tasks/cancel', { id: await finished() });
    expect(ended.body.error.code).toBe(-32002);
    expect((await call('tasks/get', { id }, { url: agentUrls(asking).live, key })).body.result).toMatchObject(
      {
        kind: 'task',
        status: { state: 'canceled' },
      },
    );
  });

  test('sees replies and failures', async () => {
    const replying = await newClient(await liveAgent({ flow: replyingFlow() }));
    const kinds: string[] = [];
    for await (const { kind } of replying.sendMessageStream({ message: message('x') })) kinds.push(kind);
    expect(kinds).toEqual(['task', 'status-update', 'status-update', 'artifact-update', 'status-update']);
    const failing = await newClient(await liveAgent({ flow: failingFlow() }));
    const failed = await failing.sendMessage({ message: message('tea') });
    expect(failed).toMatchObject({ status: { state: 'failed', message: { kind: 'message' } } });
  });

  test('waits for the end unless it says otherwise, as the servers of 0.3 have it', async () => {
    for (const configuration of [{}, { blocking: true }, { historyLength: 0 }]) {
      const { body } = await call('message/send', { message: message('x'), configuration });
      expect(body.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    }
    const { body } = await call('message/send', {
      message: message('x'),
      configuration: { blocking: false },
    });
    expect(body.result).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
  });

  test('sends files and data', async () => {
    const parts = [
      { kind: 'file', file: { bytes: 'iVBORw0KGgo=', mimeType: 'image/png', name: 'a.png' } },
      { kind: 'data', data: { a: 1 } },
    ];
    const { body } = await call('message/send', { message: message('', { parts }) });
    expect(body.result).toMatchObject({ status: { state: 'completed' }, history: [{ parts }] });
    const pdf = { kind: 'file', file: { uri: 'https://example.com/a', mimeType: 'application/pdf' } };
    const refused = await call('message/send', { message: message('', { parts: [pdf] }) });
    expect(refused.body.error.code).toBe(-32005);
  });

  test('reads the extended card in the form of 0.3', async () => {
    const { body } = await call('agent/getAuthenticatedExtendedCard', undefined);
    expect(body.result).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${url}v0.3`,
      capabilities: { extensions: [{ params: { a2aregistryid: agent.a2aregistryid } }] },
    });
  });

  test('shares tasks with clients of 1.0', async () => {
    const { result } = await rpc(url, agent.key, 'SendMessage', { message: newMessage('Hello') });
    const id = readTaskId(result);
    expect((await call('tasks/get', { id })).body.result).toMatchObject({ kind: 'task', id });
  });
});

const finished = async () => (await call('message/send', { message: message('x') })).body.result.id;

describe('a configuration of push notifications', () => {
  let receiver: Receiver<ReceivedRequest>;
  beforeAll(async () => {
    receiver = await startRequestReceiver();
  });
  afterAll(() => receiver.close());

  /** In short: what the receiver got, as a client of 0.3 reads it. */
  const readReceived = () =>
    receiver.received.map(({ body }) => {
      const { kind, status, artifact } = JSON.parse(body);
      return [kind, status?.state ?? artifact?.artifactId];
    });

  test('of a message gets the task and its updates in the form of 0.3, with its token and credentials', async () => {
    receiver.received.splice(0);
    const asking = await liveAgent({ flow: askingFlow() });
    const client = await newClient(asking);
    const authentication = { schemes: ['Bearer'], credentials: 'receiver-secret' };
    const pushNotificationConfig = { url: receiver.url, token: 'task-token', authentication };
    const asked = await client.sendMessage({
      message: message('42'),
      configuration: { blocking: true, pushNotificationConfig },
    });
    const id = 'id' in asked ? asked.id : '';
    await client.sendMessage({ message: message('yes', { taskId: id }) });
    await delivered(id);
    expect(readReceived()).toEqual([
      ['task', 'working'],
      ['status-update', 'input-required'],
      ['status-update', 'working'],
      ['artifact-update', 'response'],
      ['status-update', 'completed'],
    ]);
    const [first] = receiver.received;
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-a2a-notification-token': 'task-token',
      authorization: 'Bearer receiver-secret',
    });
    const { payload } = legacyPushNotificationToV1StreamResponse(JSON.parse(first?.body ?? ''));
    expect(payload).toMatchObject({ $case: 'task', value: { id } });
  });

  test('is set, got, listed and deleted; one that 1.0 has set beside it gets the form of 1.0', async () => {
    receiver.received.splice(0);
    const asking = await liveAgent({ flow: askingFlow() });
    const client = await newClient(asking);
    const asked = await client.sendMessage({ message: message('42') });
    const taskId = 'id' in asked ? asked.id : '';
    const pushNotificationConfig = { id: 'old', url: receiver.url };
    const set = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
    expect(set).toMatchObject({ taskId, pushNotificationConfig });
    const params = { id: taskId, pushNotificationConfigId: 'old' };
    expect(await client.getTaskPushNotificationConfig(params)).toEqual(set);
    await createConfig(agentUrls(asking).live, asking.key, { taskId, id: 'new', url: receiver.url });
    const listed = await client.listTaskPushNotificationConfig({ id: taskId });
    expect(listed.map((each) => each.pushNotificationConfig.id)).toEqual(['new', 'old']);
    await idle();
    expect(readReceived().sort()).toEqual([
      [undefined, undefined],
      ['task', 'input-required'],
    ]);
    await client.deleteTaskPushNotificationConfig(params);
    expect(await client.listTaskPushNotificationConfig({ id: taskId })).toHaveLength(1);
  });
});

test.each(['tasks/resubscribe', 'message/stream'])(
  'an error of %s is an event for a client that accepts a stream',
  async (method) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { id: 'x' } });
    const headers = { 'a2a-version': '', accept: 'text/event-stream' };
    const response = await post(`${url}v0.3`, { text, key: agent.key, headers });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const [event = '', ...more] = (await response.text()).split('\n\n');
    expect(more).toEqual(['']);
    const code = method === 'message/stream' ? -32602 : -32001;
    expect(JSON.parse(event.replace(/^data: ?/, ''))).toMatchObject({ id: 7, error: { code } });
  },
);

describe('the error of', () => {
  test.each([
    ['text that is not JSON', '{', -32700],
    ['a batch', '[]', -32600],
    ['no id', '{"jsonrpc":"2.0","method":"tasks/get"}', -32600],
    ['a method of 1.0', '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}', -32601],
    ['an unknown task', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}', -32001],
    [
      'a subscription to an unknown task',
      '{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe","params":{"id":"x"}}',
      -32001,
    ],
    ['no task id', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}', -32602],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":[]}', -32602],
    [
      'the levels of its data',
      `{"jsonrpc":"2.0","id":1,"method":"message/send","params":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
      -32602,
    ],
  ])('%s has the code of 0.3', async (_, text, code) => {
    const response = await post(`${url}v0.3`, { text, key: agent.key, headers: { 'a2a-version': '' } });
    expect(response.status).toBe(200);
    const { error } = JSON.parse(await response.text());
    expect(error.code).toBe(code);
    expect(JSON.stringify(error)).not.toMatch(/TypeError|undefined|stack|node_modules/);
  });

  test.each([
    ['no parts', { parts: [] }, '/params/message/parts'],
    ['a part of 1.0', { parts: [{ text: 'x' }] }, '/params/message/parts/0'],
    ['a file without content', { parts: [{ kind: 'file' }] }, '/params/message/parts/0/file'],
    [
      'a file that is no base64',
      { parts: [{ kind: 'file', file: { bytes: 7 } }] },
      '/params/message/parts/0/file',
    ],
    ['the role of 1.0', { role: 'ROLE_USER' }, '/params/message/role'],
    ['metadata that are a list', { metadata: [] }, '/params/message/metadata'],
  ])('a message with %s names the field, for send and stream', async (_, some, field) => {
    for (const method of ['message/send', 'message/stream']) {
      const { body } = await call(method, { message: message('x', some) });
      expect(body.error.code).toBe(-32602);
      expect(JSON.stringify(body.error.data)).toContain(`"field":"${field}`);
    }
  });

  test('a key of another organisation is that of an unknown agent', async () => {
    const { key } = await newCaller();
    expect((await call('tasks/get', { id: 'x' }, { key })).status).toBe(401);
  });
});
