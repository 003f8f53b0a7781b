// Push notifications with the official client: the four operations, and a receiver that parses what it gets with
// the types of the SDK.
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent } from '#test/support/flows.ts';
import { delivered, shortenReceived } from '#test/support/push.ts';
import { type ReceivedPush, type Receiver, startPushReceiver } from '#test/support/receiver.ts';

let receiver: Receiver<ReceivedPush>;
beforeAll(async () => {
  receiver = await startPushReceiver();
});
afterAll(() => receiver.close());

test.each(['JSONRPC', 'HTTP+JSON'] as const)(
  'the official client creates, gets, lists and deletes configurations over %s, and its receiver gets the end',
  async (binding) => {
    const agent = await liveAgent({ flow: askingFlow() });
    const client = await officialClient(agentUrls(agent).live, agent.key, binding);
    const task = asTask(await client.sendMessage(sending('Hello')));
    const taskId = task.id;
    const tenant = '';
    const config = await client.createTaskPushNotificationConfig({
      ...{ tenant, taskId, id: '', url: receiver.url, token: 'task-token' },
      authentication: { scheme: 'Bearer', credentials: 'receiver-secret' },
    });
    expect(config).toMatchObject({ taskId, url: receiver.url, token: '', id: expect.stringMatching(/./) });
    const { id } = config;
    expect(await client.getTaskPushNotificationConfig({ tenant, taskId, id })).toEqual(config);
    const second = { tenant, taskId, id: 'second', url: receiver.url, token: '', authentication: undefined };
    await client.createTaskPushNotificationConfig(second);
    const page = { tenant, taskId, pageSize: 1, pageToken: '' };
    const first = await client.listTaskPushNotificationConfig(page);
    const rest = await client.listTaskPushNotificationConfig({ ...page, pageToken: first.nextPageToken });
    // Over HTTP+JSON the SDK does not send the size of the page, so that the first one has both.
    const ids = [...first.configs, ...rest.configs].map((each) => each.id);
    expect([...new Set(ids)].sort()).toEqual([id, 'second'].sort());
    expect(rest.nextPageToken).toBe('');
    await idle();
    await client.deleteTaskPushNotificationConfig({ tenant, taskId, id: 'second' });
    receiver.received.splice(0);
    await client.sendMessage(sending('yes', { taskId }));
    await delivered(taskId);
    expect(shortenReceived(receiver.received)).toEqual([
      'status WORKING',
      'artifact response',
      'status COMPLETED',
    ]);
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill('Bearer receiver-secret'),
    );
  },
);

test('the configuration of a message is delivered to, as the card declares', async () => {
  const agent = await liveAgent();
  const client = await officialClient(agentUrls(agent).live, agent.key);
  expect((await client.getAgentCard()).capabilities?.pushNotifications).toBe(true);
  receiver.received.splice(0);
  const taskPushNotificationConfig = { url: receiver.url };
  const task = asTask(
    await client.sendMessage(sending('Hello', { configuration: { taskPushNotificationConfig } })),
  );
  await delivered(task.id);
  const [begin] = receiver.received;
  expect(begin?.response.payload?.$case).toBe('task');
  const last = receiver.received.at(-1)?.response.payload;
  expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
});
