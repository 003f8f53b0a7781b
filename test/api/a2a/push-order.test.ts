// Push notifications under any order of events, deliveries and failures, two at a time: each configuration gets the
// same updates in the order of the task, and each at least once.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newStoredConfig } from '#lib/a2a/push-config.ts';
import { putConfig, readConfigs } from '#lib/delivery/push-config-items.ts';
import { newRunId } from '#lib/ids.ts';
import { enqueuePushCheck, wakeConfig } from '#lib/run/push-queue.ts';
import { appendEvent, insertRun, readRun } from '#lib/run/run-items.ts';
import { isFinal, type StoredEvent, type StoredRun } from '#lib/run/stored-run.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import {
  acceptedPositions,
  captureDeliveries,
  expectedPositions,
  handleDelivery,
} from '#test/support/push.ts';
import { type ReceivedPush, type Receiver, startPushReceiver } from '#test/support/receiver.ts';
import { seed } from '#test/support/seed.ts';
import { run as storedRun } from '#test/support/stored-run.ts';

let queue: Awaited<ReturnType<typeof captureDeliveries>>;
let owner: TestCaller;
beforeAll(async () => {
  owner = await newCaller();
  queue = await captureDeliveries();
});
afterAll(() => queue.close());

type Step = 'reply' | 'log' | 'question' | 'add' | 'deliver' | 'deliver twice' | 'fail' | 'lose';
const steps: readonly Step[] = [
  ...(['reply', 'log', 'question', 'add', 'deliver', 'deliver', 'deliver twice', 'fail', 'lose'] as const),
];
const lane = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 8 });

interface World {
  readonly run: StoredRun;
  readonly receivers: { readonly receiver: Receiver<ReceivedPush>; readonly generation: number }[];
}

async function newWorld(): Promise<World> {
  const run = storedRun({
    ...{ run_id: newRunId(), generation: 0, status: 'submitted', deadline: Date.now() + 3_600_000 },
    ...{ orgid: owner.orgid, workspaceid: owner.workspaceid, ttl: Math.floor(Date.now() / 1_000) + 600 },
    // A process holds the run, so that nobody ends it as abandoned.
    lease_until: Date.now() + 3_600_000,
  });
  await insertRun(run);
  return { run, receivers: [] };
}

const contents: Readonly<Record<'reply' | 'log' | 'question', object>> = {
  reply: { status: 'working', replies: JSON.stringify([{ text: 'One.' }, { text: 'Two.' }]) },
  log: { status: 'working', logs: '[]' },
  question: { status: 'input_required', requests: JSON.stringify([{ id: 'sure', prompt: 'Sure?' }]) },
};

/** By a writer that has read the run before it had configurations. */
async function append({ run }: World, content: object): Promise<boolean> {
  const now = await readRun(run.run_id);
  if (!now || isFinal(now.status)) throw new Error('The run is gone, or has ended.');
  const { push_configs: _, ...known } = now;
  const event = { generation: now.generation + 1, at: new Date().toISOString(), ...content } as StoredEvent;
  return await appendEvent({ run: known, event });
}

async function add({ run, receivers }: World): Promise<void> {
  if (receivers.length >= 3) return;
  const receiver = await startPushReceiver();
  const { generation = 0 } = (await readRun(run.run_id)) ?? {};
  receivers.push({ receiver, generation });
  const config = await newStoredConfig(run, { id: newRunId(), url: receiver.url }, generation);
  await enqueuePushCheck(run, config);
  await putConfig(run, config);
  await wakeConfig(run, config.config_id);
}

async function take(world: World, step: Step): Promise<void> {
  switch (step) {
    case 'add':
      return await add(world);
    case 'fail':
      return void world.receivers.at(-1)?.receiver.answers.push(503);
    case 'lose':
      return queue.loseNextWake();
    case 'deliver':
    case 'deliver twice': {
      const body = queue.bodies.shift();
      if (body === undefined) return;
      const times = step === 'deliver' ? 1 : 2;
      await Promise.all(Array.from({ length: times }, () => handleDelivery(body)));
      return;
    }
    default:
      await append(world, contents[step]);
  }
}

/** Messages are handled until none has anything left to do. */
async function drain({ run }: World): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    const configs = await readConfigs(run.run_id);
    if (configs.every(({ state }) => state === 'delivered')) return;
    const body = queue.bodies.shift();
    if (body === undefined) throw new Error('No message is left for what is not delivered.');
    await handleDelivery(body);
  }
  throw new Error('The deliveries do not end.');
}

test('each configuration receives the updates of the task in their order, and all of them', async () => {
  const property = fc.asyncProperty(fc.tuple(lane, lane), async (lanes) => {
    queue.bodies.splice(0);
    const world = await newWorld();
    await add(world);
    await Promise.all(
      lanes.map(async (each) => {
        for (const step of each) await take(world, step);
      }),
    );
    for (const { receiver } of world.receivers) receiver.answers.splice(0);
    while (!(await append(world, { status: 'completed', response: '{"done":true}' })));
    await drain(world);
    for (const { receiver, generation } of world.receivers) {
      expect(acceptedPositions(receiver.received)).toEqual(
        await expectedPositions(world.run.run_id, generation),
      );
      await receiver.close();
    }
  });
  await fc.assert(property, { numRuns: process.env.CHAOS === 'full' ? 200 : 15, seed, endOnFailure: true });
});
