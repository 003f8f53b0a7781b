// An event that was accepted has its effects once and its run one end, or it is a dead letter with its
// reason; looked for in random histories of deliveries twice and out of order, acknowledgements that get
// lost, workers that are killed and dependencies that fail. `npm run chaos` plays more of them than `npm
// test`.
import { setTimeout } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { workUntilKilled } from '#test/support/chaos/crashing-worker.ts';
import {
  chooseVerdict,
  type FaultScenario,
  faultScenarios,
  type Service,
} from '#test/support/chaos/fault-scenarios.ts';
import { randomFrom } from '#test/support/chaos/faults.ts';
import type { Message } from '#test/support/chaos/queue-of-runs.ts';
import { ours, type RunRules, runMutants } from '#test/support/chaos/run-rules.ts';
import {
  type Agents,
  checkOutcome,
  checkRuns,
  newRunWorld,
  type RunWorld,
  sendEvent,
} from '#test/support/chaos/run-world.ts';
import { directTo } from '#test/support/chaos/world.ts';
import { call } from '#test/support/client.ts';
import { type Effects, startEffects } from '#test/support/effects.ts';
import { failingFlow, liveAgent, payingFlow } from '#test/support/flows.ts';
import { expireLease, ownQueue } from '#test/support/runs.ts';
import { seed } from '#test/support/seed.ts';

const size =
  process.env.CHAOS === 'full'
    ? { histories: 40, kills: 0.15, steps: 25, minutes: 15, mutants: runMutants.length }
    : // A runner without its lease may take many histories to be found; one-writer.test.ts looks at that at once.
      { histories: 1, kills: 0.05, steps: 8, minutes: 1, mutants: 2 };
/** A fault that needs two workers at the same moment shows in some of ten histories, on average in one. */
const historiesMax = 100;
const callsOfWorker = 16;
const secondAfterMsMax = 150;
const watchMs = 10;
/** Enough for every delivery that a message may have. */
const calmTurnsMax = 12;

/** What happens now: the proxies outlive the histories. */
let now: { readonly world: RunWorld; readonly rules: RunRules; readonly random: () => number } | undefined;
let scenario: FaultScenario = 'no faults';
let database: DynamoDBDocumentClient;
/** As SQS itself reaches the dead letters. */
let deadLetters: { readonly sqs: SQSClient; readonly url: string };
let effects: Effects;
let caller: TestCaller;
const proxies: AwsProxy[] = [];

beforeAll(async () => {
  database = directTo(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  deadLetters = {
    sqs: new SQSClient({ endpoint: process.env.AWS_ENDPOINT_URL_SQS ?? '' }),
    url: process.env.RUN_DEAD_LETTER_QUEUE_URL ?? '',
  };
  for (const service of ['DYNAMODB', 'KMS', 'SQS'] as const) {
    const upstream = process.env[`AWS_ENDPOINT_URL_${service}`] ?? '';
    const proxy = await startAwsProxy(upstream, (operation, body) => judge(service, operation, body));
    proxies.push(proxy);
    process.env[`AWS_ENDPOINT_URL_${service}`] = proxy.url;
    if (service === 'SQS')
      for (const name of ['RUN_QUEUE_URL', 'RUN_DEAD_LETTER_QUEUE_URL'])
        process.env[name] = process.env[name]?.replace(upstream, proxy.url);
  }
  [effects, caller] = await Promise.all([startEffects(), newCaller()]);
  await ownQueue();
});
afterAll(async () => void (await Promise.all([effects, ...proxies].map((each) => each.close()))));

function judge(service: Service, operation: string, body: Buffer): Verdict {
  if (!now) return 'pass';
  const verdict = chooseVerdict(scenario, { service, operation }, now.random);
  const arrives = typeof verdict === 'object' ? !('error' in verdict) : verdict !== 'reset';
  if (service === 'SQS' && operation === 'SendMessage' && arrives) recordMessage(now.world, body);
  const instead = service === 'DYNAMODB' && arrives ? now.rules.change(operation, body) : undefined;
  return instead ? { ...(typeof verdict === 'object' && verdict), instead } : verdict;
}

const sent = z.object({ QueueUrl: z.string(), MessageBody: z.string() });

/** Workers that are killed see the queues at other addresses. */
function recordMessage({ queue, parked }: RunWorld, body: Buffer): void {
  const { QueueUrl, MessageBody } = sent.parse(JSON.parse(body.toString()));
  const isFor = (name: string) => readQueueName(QueueUrl) === readQueueName(process.env[name] ?? '');
  if (isFor('RUN_QUEUE_URL')) queue.send(MessageBody);
  if (isFor('RUN_DEAD_LETTER_QUEUE_URL')) parked.push(MessageBody);
}

const readQueueName = (queueUrl: string) => queueUrl.split('/').at(-1);

interface History {
  readonly random: () => number;
  readonly rules: RunRules;
  readonly scenarios: readonly FaultScenario[];
}

async function newAgents(): Promise<Agents> {
  const paying = await liveAgent({ flow: payingFlow(effects) }, caller);
  const failing = await liveAgent({ flow: failingFlow() }, caller);
  return { paying, failing, leaving: await liveAgent({}, caller) };
}

async function play({ random, rules, scenarios }: History): Promise<void> {
  scenario = 'no faults';
  const world = newRunWorld({ agents: await newAgents(), effects, database }, random);
  now = { world, rules, random };
  try {
    scenario = 'mixed faults';
    await Promise.all(
      (['paying', 'paying', 'paying', 'failing', 'leaving'] as const).map((kind) => sendEvent(world, kind)),
    );
    const { key, a2aregistryid } = world.agents.leaving;
    await call('deleteRegistryRow', { key, params: { a2aregistryid } });
    for (const body of ['null', 'not JSON']) world.queue.send(body);
    for (let step = 0; step < size.steps && !world.queue.isEmpty(); step += 1) {
      scenario = scenarios[Math.floor(random() * scenarios.length)] ?? 'no faults';
      await disturbedStep(world, rules, random);
    }
    await bringToItsEnd(world, rules);
    await checkOutcome(world);
    await redrive(world, rules);
    await checkOutcome(world);
  } finally {
    now = undefined;
  }
}

/** Two workers at once, watched. The second often gets what the first still has: its visibility ran out. */
async function disturbedStep(world: RunWorld, rules: RunRules, random: () => number): Promise<void> {
  const messages = world.queue.receive(1 + Math.floor(random() * 3));
  const others = random() < 0.7 ? messages.map(again) : world.queue.receive(1 + Math.floor(random() * 3));
  const secondAfterMs = random() < 0.3 ? 0 : random() * secondAfterMsMax;
  const working = [
    disturbedWork(world, messages, { rules, random }),
    setTimeout(secondAfterMs).then(() => disturbedWork(world, others, { rules, random })),
  ];
  // Leases expire although their workers still run: now and then, or all the time.
  const expiring = random() < 0.5 ? 0.9 : 0.1;
  const isOver = Promise.allSettled(working).then(() => true);
  try {
    for (let isWorking = true; isWorking; isWorking = !(await Promise.race([isOver, pause()]))) {
      const held = await checkRuns(world);
      if (random() < expiring) await Promise.all(held.map((id) => expireLease(id, database)));
    }
  } finally {
    await isOver;
  }
  await Promise.all(working);
}

const again = (message: Message): Message => ({ ...message, received: message.received + 1 });
const pause = () => setTimeout(watchMs, false);

async function disturbedWork(
  world: RunWorld,
  messages: readonly Message[],
  { rules, random }: Pick<History, 'rules' | 'random'>,
): Promise<void> {
  const remainingMs = random() < 0.3 ? 20_001 : 900_000;
  if (messages.length > 0 && random() < size.kills)
    return await kill(world, messages, { remainingMs, random });
  await settle(world, messages, await rules.work(messages, remainingMs), random() < 0.15);
}

/** A worker dies on the way of the first; nobody acknowledges any. */
async function kill(
  world: RunWorld,
  messages: readonly Message[],
  { remainingMs, random }: { readonly remainingMs: number; readonly random: () => number },
): Promise<void> {
  const death = { call: 1 + Math.floor(random() * callsOfWorker), arrives: random() < 0.5 };
  await workUntilKilled(messages[0]?.body ?? '', remainingMs, death);
  await settle(world, messages, new Set(), true);
}

async function settle(
  { queue }: RunWorld,
  messages: readonly Message[],
  failed: ReadonlySet<string>,
  isAckLost: boolean,
): Promise<void> {
  for (const message of messages) if (isAckLost || failed.has(message.id)) queue.comeAgain(message);
  for (const body of queue.setAside.splice(0)) await moveToDeadLetters(body);
}

/** As SQS does it: without a reason. */
async function moveToDeadLetters(body: string): Promise<void> {
  now?.world.parked.push(body);
  await deadLetters.sqs.send(new SendMessageCommand({ QueueUrl: deadLetters.url, MessageBody: body }));
}

/** As time would: leases run out, and what waits is delivered. */
async function bringToItsEnd(world: RunWorld, rules: RunRules): Promise<void> {
  scenario = 'no faults';
  for (let turn = 0; turn < calmTurnsMax && !world.queue.isEmpty(); turn += 1) {
    for (const id of await checkRuns(world)) await expireLease(id, database);
    const messages = world.queue.receive(10);
    await settle(world, messages, await rules.work(messages, 900_000), false);
  }
  expect(world.queue.isEmpty(), 'the queue comes to rest').toBe(true);
}

/** All dead letters once more, and then again. */
async function redrive(world: RunWorld, rules: RunRules): Promise<void> {
  const bodies = world.parked.splice(0);
  for (const body of [...bodies, ...bodies]) world.queue.send(body);
  await bringToItsEnd(world, rules);
}

describe(`an event that was accepted (SEED=${seed})`, () => {
  test('has each effect once and a run with one end, or is a dead letter with the reason', {
    timeout: size.minutes * 60_000,
  }, async () => {
    for (let n = 0; n < size.histories; n += 1)
      await play({ random: randomFrom(seed + n), rules: ours, scenarios: faultScenarios });
  });
});

describe(`the check finds, within ${historiesMax} histories (SEED=${seed}),`, () => {
  test.each(runMutants.slice(0, size.mutants).map((each) => [each.what, each] as const))(
    '%s',
    { timeout: Math.max(5, size.minutes) * 60_000 },
    async (_what, mutant) => {
      const all = async () => {
        for (let n = 0; n < historiesMax; n += 1) await play({ random: randomFrom(seed + n), ...mutant });
      };
      await expect(all()).rejects.toThrow(mutant.finds);
    },
  );
});
