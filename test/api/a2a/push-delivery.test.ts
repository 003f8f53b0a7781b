// Push notifications from the task to a receiver.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newStoredConfig } from '#lib/a2a/push-config.ts';
import { putConfig } from '#lib/delivery/push-config-items.ts';
import { wakeConfig } from '#lib/run/push-queue.ts';
import { readRun } from '#lib/run/run-items.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { flushDelayedMessages, idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, failingFlow, liveAgent, replyingFlow } from '#test/support/flows.ts';
import { createConfig, delivered, shortenReceived } from '#test/support/push.ts';
import { type ReceivedPush, type Receiver, startPushReceiver } from '#test/support/receiver.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let receiver: Receiver<ReceivedPush>;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  receiver = await startPushReceiver();
  return () => receiver.close();
});

type Agent = Awaited<ReturnType<typeof liveAgent>>;

const withPush = (url: string, more: object = {}, configuration: object = {}) => ({
  message: newMessage('Hello'),
  configuration: { taskPushNotificationConfig: { url, ...more }, ...configuration },
});

async function send(agent: Agent, params: object): Promise<string> {
  const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', params);
  return readTaskId(result);
}

const updates = ['status WORKING Looking.', 'status WORKING', 'artifact response', 'status COMPLETED'];

/** Of a task that its request executes. */
const wholeTask = ['task WORKING', ...updates];

const afterAnswer = ['status WORKING', 'artifact response', 'status COMPLETED'];

describe('the receiver of a message', () => {
  test.each([
    ['that waits for the end', false, 'task WORKING'],
    ['that returns immediately', true, 'task SUBMITTED'],
  ])('%s gets the task and then each of its updates, in order, once', async (_, returnImmediately, task) => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const id = await send(agent, withPush(receiver.url, {}, { returnImmediately }));
    const [config] = await delivered(id);
    await flushDelayedMessages();
    expect(shortenReceived(receiver.received)).toEqual([task, ...updates]);
    expect(config).toMatchObject({ state: 'delivered', delivered: 5, attempts: [] });
  });

  test('gets the token, the credentials, the media type of A2A and an id of the notification', async () => {
    const agent = await liveAgent();
    const authentication = { scheme: 'Bearer', credentials: 'receiver-secret' };
    const id = await send(agent, withPush(receiver.url, { token: 'task-token', authentication }));
    await delivered(id);
    for (const { headers } of receiver.received)
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        'x-a2a-notification-token': 'task-token',
        authorization: 'Bearer receiver-secret',
      });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(
      receiver.received.length,
    );
  });

  test('gets neither header for a configuration without token and credentials', async () => {
    const agent = await liveAgent();
    await delivered(await send(agent, withPush(receiver.url, { authentication: { scheme: 'Bearer' } })));
    expect(receiver.received.length).toBeGreaterThan(1);
    for (const { headers } of receiver.received) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('x-a2a-notification-token');
    }
  });

  test('gets a failure, and a cancellation', async () => {
    const failing = await liveAgent({ flow: failingFlow() });
    await delivered(await send(failing, withPush(receiver.url)));
    expect(shortenReceived(receiver.received).at(-1)).toMatch(/^status FAILED .*No stock of Hello/);
    const gate = unique('gate');
    const slow = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const id = await send(slow, withPush(receiver.url, {}, { returnImmediately: true }));
    await upstream.arrived(gate);
    await rpc(agentUrls(slow).live, slow.key, 'CancelTask', { id });
    upstream.open(gate);
    await delivered(id);
    expect(shortenReceived(receiver.received).at(-1)).toBe('status CANCELED');
  });

  test('gets a question, and what follows its answer', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await send(agent, withPush(receiver.url));
    await idle();
    expect(shortenReceived(receiver.received)).toEqual([
      'task WORKING',
      'status INPUT_REQUIRED Refund Hello?',
    ]);
    await send(agent, { message: newMessage('yes', { taskId: id }) });
    await delivered(id);
    expect(shortenReceived(receiver.received).slice(2)).toEqual(afterAnswer);
  });
});

describe('a configuration that is created later', () => {
  test('gets the task as it is then, and the updates after that', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await send(agent, { message: newMessage('Hello') });
    await createConfig(agentUrls(agent).live, agent.key, { taskId: id, url: receiver.url });
    await idle();
    expect(shortenReceived(receiver.received)).toEqual(['task INPUT_REQUIRED Refund Hello?']);
    await send(agent, { message: newMessage('no', { taskId: id }) });
    await delivered(id);
    expect(shortenReceived(receiver.received).slice(1)).toEqual(afterAnswer);
  });

  test('while the task is executed, is noticed by the process that executes it', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const id = await send(agent, { message: newMessage(''), configuration: { returnImmediately: true } });
    await upstream.arrived(gate);
    await createConfig(agentUrls(agent).live, agent.key, { taskId: id, url: receiver.url });
    upstream.open(gate);
    await idle();
    const received = shortenReceived(receiver.received);
    expect(received[0]).toMatch(/^task (SUBMITTED|WORKING)$/);
    const begun = received[0] === 'task SUBMITTED' ? ['status WORKING'] : [];
    expect(received.slice(1)).toEqual([...begun, 'artifact response', 'status COMPLETED']);
  });

  test('for a task that has ended, gets the task', async () => {
    const agent = await liveAgent();
    const id = await send(agent, { message: newMessage('Hello') });
    await createConfig(agentUrls(agent).live, agent.key, { taskId: id, url: receiver.url });
    expect((await delivered(id)).map(({ state }) => state)).toEqual(['delivered']);
    expect(shortenReceived(receiver.received)).toEqual(['task COMPLETED']);
  });

  test('with an answer, gets what follows the answer', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await send(agent, { message: newMessage('Hello') });
    const answer = { message: newMessage('yes', { taskId: id }) };
    const config = { taskPushNotificationConfig: { url: receiver.url } };
    await send(agent, { ...answer, configuration: config });
    await delivered(id);
    expect(shortenReceived(receiver.received)).toEqual(['task INPUT_REQUIRED Refund Hello?', ...afterAnswer]);
    await send(agent, { ...answer, configuration: config });
    expect(await delivered(id)).toHaveLength(1);
  });
});

describe('a receiver', () => {
  test('of two configurations of a task gets both, under different ids', async () => {
    const agent = await liveAgent();
    const id = await send(agent, withPush(receiver.url));
    await delivered(id);
    await createConfig(agentUrls(agent).live, agent.key, { taskId: id, url: receiver.url });
    await delivered(id);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(shortenReceived(receiver.received).at(-1)).toBe('task COMPLETED');
    expect(new Set(ids).size).toBe(4);
  });

  test('that fails gets the same notification again, with the same id, before any other', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    receiver.answers.push(204, 500, 429, 302);
    const id = await send(agent, withPush(receiver.url));
    await delivered(id);
    const received = shortenReceived(receiver.received);
    expect(received).toEqual([
      ...wholeTask.slice(0, 2),
      ...Array(3).fill(wholeTask[1]),
      ...wholeTask.slice(2),
    ]);
    expect(new Set(receiver.received.slice(1, 5).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('that fails does not hold up another receiver of the task', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const other = await startPushReceiver();
    receiver.answers.push(...Array(50).fill(500));
    const id = await send(agent, withPush(receiver.url));
    await createConfig(agentUrls(agent).live, agent.key, { taskId: id, url: other.url });
    await send(agent, { message: newMessage('yes', { taskId: id }) });
    await idle();
    expect(shortenReceived(other.received)).toEqual(['task INPUT_REQUIRED Refund Hello?', ...afterAnswer]);
    expect(new Set(shortenReceived(receiver.received))).toEqual(new Set(['task WORKING']));
    await other.close();
  });

  test.each([
    ['that fails all attempts', 503, 8, /given up after 8 attempts, the last with status 503/],
    ['that is gone (410)', 410, 1, undefined],
  ])('%s is given up, and a redrive continues with what it missed', async (_, status, attempts, reason) => {
    const agent = await liveAgent();
    receiver.answers.push(...Array(attempts).fill(status));
    const id = await send(agent, withPush(receiver.url));
    expect(await delivered(id)).toMatchObject([{ state: 'given_up', delivered: 0 }]);
    expect(receiver.received).toHaveLength(attempts);
    const at = { key: agent.key, query: { workspaceid: agent.workspaceid } };
    await idle();
    const { items } = (await call('listDeadLetters', at)).body;
    if (reason === undefined) return expect(items).toEqual([]);
    const [letter] = items;
    expect(items).toHaveLength(1);
    expect(letter).toMatchObject({ reason: expect.stringMatching(reason), flowid: agent.flowid });
    expect(letter?.preview).toContain(id);
    receiver.received.splice(0);
    await call('redriveDeadLetter', { ...at, params: { id: letter?.id ?? '' } });
    expect(await delivered(id)).toMatchObject([{ state: 'delivered', delivered: 3 }]);
    expect(shortenReceived(receiver.received)).toEqual([
      'task WORKING',
      'artifact response',
      'status COMPLETED',
    ]);
    await call('redriveDeadLetter', { ...at, params: { id: letter?.id ?? '' } });
    await flushDelayedMessages();
    expect(receiver.received).toHaveLength(3);
  });

  test('at an address that has become private gets no request, and is given up with the reason', async () => {
    const agent = await liveAgent();
    const id = await send(agent, { message: newMessage('Hello') });
    await storeConfig(id, 'https://10.0.0.1/push');
    expect(await delivered(id)).toMatchObject([
      { state: 'given_up', attempts: [{ error: 'egress.private_address' }] },
    ]);
  });

  test('whose configuration is deleted gets nothing more', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await send(agent, withPush(receiver.url, { id: 'mine' }));
    await idle();
    await rpc(agentUrls(agent).live, agent.key, 'DeleteTaskPushNotificationConfig', {
      taskId: id,
      id: 'mine',
    });
    await send(agent, { message: newMessage('yes', { taskId: id }) });
    await flushDelayedMessages();
    expect(shortenReceived(receiver.received)).toEqual([
      'task WORKING',
      'status INPUT_REQUIRED Refund Hello?',
    ]);
  });
});

/** As a configuration whose name led to another address when it was stored. */
async function storeConfig(run_id: string, url: string): Promise<void> {
  const run = await readRun(run_id);
  if (!run) throw new Error('There is no such run.');
  await putConfig(run, await newStoredConfig(run, { id: 'mine', url }, run.generation));
  await wakeConfig(run, 'mine');
}
