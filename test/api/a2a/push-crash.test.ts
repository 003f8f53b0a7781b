// A function that dies at any of its AWS calls while it delivers push notifications: its message comes again, and no
// update is lost or out of order. The call at which it dies is done or not; nobody can know.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverPush } from '#lib/a2a/deliver-push.ts';
import { newStoredConfig } from '#lib/a2a/push-config.ts';
import { encryptTarget } from '#lib/delivery/push-config.ts';
import { putConfig, putFirstConfig, readConfigs } from '#lib/delivery/push-config-items.ts';
import { newRunId } from '#lib/ids.ts';
import { enqueuePushCheck, pushMessage } from '#lib/run/push-queue.ts';
import { appendEvent, insertRun } from '#lib/run/run-items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { secret } from '#lib/secret.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import {
  acceptedPositions,
  captureDeliveries,
  expectedPositions,
  expireClaims,
  handleDelivery,
  shortenReceived,
} from '#test/support/push.ts';
import { type ReceivedPush, type Receiver, startPushReceiver } from '#test/support/receiver.ts';
import { recordingLog } from '#test/support/recording-log.ts';
import { run as storedRun } from '#test/support/stored-run.ts';

/** Numbers the calls of all services together. */
let judge: () => Verdict = () => 'pass';
const proxies: AwsProxy[] = [];
let queue: Awaited<ReturnType<typeof captureDeliveries>>;
let owner: TestCaller;
let receiver: Receiver<ReceivedPush>;

beforeAll(async () => {
  queue = await captureDeliveries();
  for (const name of ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_KMS', 'DELIVERY_QUEUE_URL']) {
    const { origin, pathname } = new URL(process.env[name] ?? '');
    const proxy = await startAwsProxy(origin, () => judge());
    proxies.push(proxy);
    process.env[name] = `${proxy.url}${pathname}`;
  }
  owner = await newCaller();
  receiver = await startPushReceiver();
});
afterAll(async () => {
  await Promise.all([receiver, ...proxies].map((each) => each.close()));
  await queue.close();
});

/** A task whose first configuration was stored with it. */
async function startTask(rest: Partial<StoredRun>): Promise<StoredRun> {
  const run = storedRun({
    ...{ run_id: newRunId(), mode: 'queued', generation: 0, status: 'submitted', push_configs: 1 },
    ...{ orgid: owner.orgid, workspaceid: owner.workspaceid, ttl: Math.floor(Date.now() / 1_000) + 600 },
    ...rest,
  });
  const config = await newStoredConfig(run, { id: 'mine', url: receiver.url }, 0);
  await enqueuePushCheck(run, config);
  await putFirstConfig(run, config);
  await insertRun(run);
  return run;
}

/** A task that has ended, of which the process that executed it sent no message. */
async function endedTask(): Promise<StoredRun> {
  const run = await startTask({ deadline: Date.now() + 3_600_000 });
  for (const _event of [1, 2]) queue.loseNextWake();
  const at = new Date().toISOString();
  const replies = JSON.stringify([{ text: 'One.' }]);
  await appendEvent({ run, event: { generation: 1, at, status: 'working', replies } });
  await appendEvent({ run, event: { generation: 2, at, status: 'completed', response: '{"done":true}' } });
  return run;
}

const dead: Verdict = { status: 400, error: { __type: 'ValidationException', message: 'Dead.' } };

/** Dies at a call; from then on nothing it asks for happens. The number of calls it had made by then. */
async function dieAt(call: number, arrives: boolean, body: string): Promise<number> {
  let calls = 0;
  judge = () => {
    calls += 1;
    if (calls < call) return 'pass';
    return calls === call && arrives ? 'lose answer' : dead;
  };
  await handleDelivery(body);
  judge = () => 'pass';
  return calls;
}

/** More than a delivery makes; the test says so when that changes. */
const callsMax = 24;

test.each([true, false])(
  'at each call in turn, with the call completed: %s',
  async (arrives) => {
    let last = 0;
    for (let call = 1; call <= callsMax; call += 1) {
      queue.bodies.splice(0);
      const run = await endedTask();
      const [check = ''] = queue.bodies.splice(0);
      receiver.received.splice(0);
      receiver.answers.splice(0, Number.POSITIVE_INFINITY, 204, 500);
      const calls = await dieAt(call, arrives, check);
      if (calls < call) break;
      last = call;
      // SQS delivers the message again once its visibility has run out, long after the claim has.
      await expireClaims(run.run_id);
      queue.bodies.unshift(check);
      for (let body = queue.bodies.shift(); body; body = queue.bodies.shift()) await handleDelivery(body);
      expect(await readConfigs(run.run_id)).toMatchObject([{ state: 'delivered' }]);
      expect([call, acceptedPositions(receiver.received)]).toEqual([
        call,
        await expectedPositions(run.run_id, 0),
      ]);
    }
    expect(last).toBeGreaterThan(6);
    expect(last).toBeLessThan(callsMax);
  },
  60_000,
);

test('the check of a configuration ends when its task is delivered', async () => {
  queue.bodies.splice(0);
  const run = await endedTask();
  const [check = ''] = queue.bodies.splice(0);
  await handleDelivery(JSON.stringify({ ...pushMessage(run), config_id: 'mine' }));
  expect(await readConfigs(run.run_id)).toMatchObject([{ state: 'delivered' }]);
  await handleDelivery(check);
  expect(queue.bodies).toEqual([]);
});

test('a task that no process ends fails at its deadline, and its receiver gets that', async () => {
  queue.bodies.splice(0);
  receiver.received.splice(0);
  receiver.answers.splice(0);
  await startTask({ deadline: Date.now() - 60_000, lease_until: 0 });
  await handleDelivery(queue.bodies[0] ?? '');
  expect(shortenReceived(receiver.received)).toEqual([
    'task SUBMITTED',
    expect.stringMatching(/^status FAILED The run was interrupted/),
  ]);
});

test('neither the URL nor the secrets of a configuration are in the log', async () => {
  const lines: string[] = [];
  const log = recordingLog((...parts) => void lines.push(JSON.stringify(parts)));
  const run = await endedTask();
  const target = {
    token: secret('tok-5ecret'),
    authentication: { scheme: 'Bearer', credentials: secret('cr-5ecret') },
  };
  for (const status of [500, 204]) {
    receiver.answers.splice(0, Number.POSITIVE_INFINITY, status);
    receiver.received.splice(0);
    const [config] = await readConfigs(run.run_id);
    if (!config) throw new Error('The configuration is gone.');
    const url = `${receiver.url}?key=5ecret`;
    await putConfig(run, {
      ...config,
      attempts: [],
      target: await encryptTarget(run, 'mine', { url, ...target }),
    });
    await deliverPush({ ...pushMessage(run), config_id: 'mine' }, { log, remainingMs: () => 60_000 });
    expect(receiver.received[0]?.headers['x-a2a-notification-token']).toBe('tok-5ecret');
  }
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(line).not.toMatch(/5ecret|hook/);
});
