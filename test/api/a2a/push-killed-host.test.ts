// A whole host that is killed with `kill -9` while a receiver is notified: after the next start with the same data the
// receiver gets every notification, in order and at least once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configKey } from '#lib/delivery/push-config.ts';
import { requireEnv } from '#lib/env.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';
import { acceptedPositions, shortenReceived } from '#test/support/push.ts';
import { type ReceivedPush, type Receiver, startPushReceiver } from '#test/support/receiver.ts';

let folder: string;
let host: ForkedHost;
let receiver: Receiver<ReceivedPush>;
/** The notification that kills the host before it is answered, the first time. */
let fatal: string | undefined;
let killed: Promise<void> | undefined;

/** Tests then call this host. */
async function start(): Promise<void> {
  host = await forkHost({ dataDir: folder });
  killed = undefined;
  Object.assign(process.env, host.service.environment, { OWN_SERVICE_URL: host.service.baseUrl });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-killed-'));
  receiver = await startPushReceiver(async () => {
    if (fatal === undefined || shortenReceived(receiver.received).at(-1) !== fatal) return;
    fatal = undefined;
    killed = host.kill();
    await killed;
  });
  await start();
});
afterAll(async () => {
  delete process.env.OWN_SERVICE_URL;
  await Promise.all([host.stop(), receiver.close()]);
  await rm(folder, { recursive: true });
});

const configId = 'mine';

/** A response that the killed host does not send any more is lost. */
const lose = async (call: Promise<unknown>) => void (await call.catch(() => undefined));

async function isKilled(): Promise<void> {
  while (!killed) await new Promise((resolve) => setImmediate(resolve));
  await killed;
}

/** As if the clock had passed the time that a delivery may take, and every delay. */
async function passTime(taskId: string): Promise<void> {
  const table = DynamoDBDocumentClient.from(new DynamoDBClient());
  await table.send(
    new UpdateCommand({
      TableName: requireEnv('RUNS_TABLE'),
      Key: configKey(taskId, configId),
      UpdateExpression: 'SET busy_until = :past',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':past': 0 },
    }),
  );
  await fetch(`${host.service.controlUrl}/flush-delayed`, { method: 'POST' });
}

const turnsMax = 50;

async function received(taskId: string, last: string): Promise<void> {
  for (let turn = 0; turn < turnsMax && shortenReceived(receiver.received).at(-1) !== last; turn += 1)
    await passTime(taskId);
  expect(shortenReceived(receiver.received).at(-1)).toBe(last);
}

const notifications = [
  'task INPUT_REQUIRED Refund 42?',
  'status WORKING',
  'artifact response',
  'status COMPLETED',
];

/** Kills the host at a notification, and starts it again. */
async function checkHistory(agent: TestAgent, killAt: string): Promise<void> {
  receiver.received.splice(0);
  const call = async (method: string, params: object) =>
    (await rpc(agentUrls(agent).live, agent.key, method, params)).result;
  const taskId = readTaskId(await call('SendMessage', { message: newMessage('42') }));
  fatal = killAt;
  const config = { taskId, id: configId, url: receiver.url };
  const created = call('CreateTaskPushNotificationConfig', config);
  if (killAt === notifications[0]) {
    await Promise.all([lose(created), isKilled()]);
    await start();
  } else await created;
  await received(taskId, notifications[0] ?? '');
  const answered = call('SendMessage', { message: newMessage('yes', { taskId }) });
  if (killAt !== notifications[0]) {
    await Promise.all([lose(answered), isKilled()]);
    await start();
  } else await answered;
  await received(taskId, notifications.at(-1) ?? '');
  expect([...new Set(shortenReceived(receiver.received))]).toEqual(notifications);
  expect(acceptedPositions(receiver.received)).toHaveLength(notifications.length);
}

test('after kill -9 at any notification of a task that has paused or ended, the next start delivers all of them in order', async () => {
  const agent = await liveAgent({ flow: askingFlow() });
  // Tasks that are killed while they work are those of interrupted.test.ts.
  const ofRest = notifications.filter((each) => each !== 'status WORKING');
  for (const killAt of ofRest) await checkHistory(agent, killAt);
});
