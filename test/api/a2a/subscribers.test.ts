// Subscribers of one task at two instances of the service, one of which is killed now and then: whatever the
// order of transitions, subscriptions, disconnects and kills, all of them receive the same events in the same
// order, and those that are still there receive the end.
import { StreamResponse } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';
import { expireLease } from '#test/support/runs.ts';
import { seed } from '#test/support/seed.ts';
import { testedService } from '#test/support/tested-service.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
let second: ForkedHost;
const startSecond = async () => await forkHost({ secondInstanceOf: testedService() });
beforeAll(async () => {
  [upstream, second] = await Promise.all([startUpstream(), startSecond()]);
});
afterAll(async () => {
  await Promise.all([upstream.close(), second.stop()]);
});

const gates = 3;
const steps = ['open', 'subscribe here', 'subscribe there', 'leave', 'kill'] as const;
type Step = (typeof steps)[number];
interface History {
  /** Whether a worker executes the task, or the instance that is killed. */
  readonly isQueued: boolean;
  readonly steps: readonly Step[];
}
const histories = fc.record({
  isQueued: fc.boolean(),
  steps: fc.array(fc.constantFrom<Step>(...steps, 'open', 'subscribe there'), {
    minLength: 4,
    maxLength: 9,
  }),
});

/** Says something before each gate, and after the last. */
function gatedFlow(names: readonly string[]) {
  const say = (n: number, next: string) => ({ type: 'reply', text: `Part ${n}`, next });
  const entries = names.flatMap((name, n) => [
    [`say_${n}`, say(n, `gate_${n}`)],
    [`gate_${n}`, { type: 'http', url: `${upstream.url}/gate/${name}`, next: `say_${n + 1}` }],
  ]);
  return flow({
    egress: [upstream.host],
    start: 'say_0',
    nodes: {
      ...Object.fromEntries(entries),
      [`say_${names.length}`]: say(names.length, 'done'),
      done: { type: 'end', output: { done: true } },
    },
  });
}

/** What a subscriber has received since its first event, which is the task. */
class Subscriber {
  readonly events: string[] = [];
  readonly #leaving = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  #ended: Promise<void> = Promise.resolve();
  #hasLeft = false;

  static async follow(stream: (signal: AbortSignal) => AsyncIterable<StreamResponse>): Promise<Subscriber> {
    const subscriber = new Subscriber();
    subscriber.#ended = subscriber.#read(stream(subscriber.#leaving.signal));
    await Promise.race([subscriber.#opened.promise, subscriber.#ended]);
    return subscriber;
  }

  async #read(stream: AsyncIterable<StreamResponse>): Promise<void> {
    try {
      for await (const response of stream) {
        if (response.payload?.$case === 'task') this.#opened.resolve();
        else this.events.push(JSON.stringify(StreamResponse.toJSON(response)));
      }
    } catch {
      // It left, or its instance was killed.
      this.#hasLeft = true;
    }
  }

  leave(): void {
    this.#hasLeft = true;
    this.#leaving.abort();
  }

  /** Whether it was there until the end of the task. */
  async stayed(): Promise<boolean> {
    await this.#ended;
    return !this.#hasLeft;
  }
}

const newClient = async (agent: TestAgent, baseUrl: string): Promise<Client> =>
  await officialClient(agentUrls(agent).agent.replace(testedService().baseUrl, baseUrl), agent.key);

async function play({ isQueued, steps: played }: History): Promise<void> {
  const names = Array.from({ length: gates }, () => unique('gate'));
  const agent = await liveAgent({ flow: gatedFlow(names) });
  const here = await newClient(agent, testedService().baseUrl);
  const there = async () => await newClient(agent, second.service.baseUrl);
  const subscribers: Subscriber[] = [];
  const id = await begin();
  await upstream.arrived(names[0] ?? '');
  const subscribe = async (client: Client) => {
    const stream = (signal: AbortSignal) => client.resubscribeTask({ id, tenant: '' }, { signal });
    subscribers.push(await Subscriber.follow(stream));
  };
  await subscribe(here);
  let opened = 0;
  for (const step of played) {
    if (step === 'open' && opened < gates - 1) upstream.open(names[opened++] ?? '');
    if (step === 'subscribe here') await subscribe(here);
    if (step === 'subscribe there') await subscribe(await there());
    if (step === 'leave') subscribers[subscribers.length - 1]?.leave();
    if (step === 'kill') await kill();
  }
  await subscribe(here);
  for (const name of names) upstream.open(name);
  await check(subscribers);

  async function begin(): Promise<string> {
    if (isQueued)
      return asTask(await here.sendMessage(sending('Go', { configuration: { returnImmediately: true } }))).id;
    const started = Promise.withResolvers<string>();
    const client = await there();
    const observed = async function* (signal: AbortSignal) {
      for await (const response of client.sendMessageStream(sending('Go'), { signal })) {
        if (response.payload?.$case === 'task') started.resolve(response.payload.value.id);
        yield response;
      }
    };
    subscribers.push(await Subscriber.follow(observed));
    return await started.promise;
  }

  async function kill(): Promise<void> {
    await second.kill();
    second = await startSecond();
    if (!isQueued) await expireLease(id);
  }
}

async function check(subscribers: readonly Subscriber[]): Promise<void> {
  const stayed = await Promise.all(subscribers.map((each) => each.stayed()));
  const ends = subscribers.filter((_, n) => stayed[n]).map(({ events }) => events.at(-1));
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) expect(end).toMatch(/TASK_STATE_(COMPLETED|FAILED)/);
  for (const one of subscribers) for (const other of subscribers) expectAgreement(one.events, other.events);
}

/** From an event that both have received, they have received the same ones until one of them was no longer there. */
function expectAgreement(one: readonly string[], other: readonly string[]): void {
  const [first] = other;
  const offset = first === undefined ? -1 : one.indexOf(first);
  if (offset < 0) return;
  const common = Math.min(one.length - offset, other.length);
  expect(other.slice(0, common)).toEqual(one.slice(offset, offset + common));
}

describe(`subscribers of a task at two instances (SEED=${seed})`, () => {
  test('receive the same events in the same order', async () => {
    await fc.assert(fc.asyncProperty(histories, play), {
      numRuns: process.env.CHAOS === 'full' ? 60 : 4,
      seed,
      examples: [
        [{ isQueued: true, steps: ['subscribe there', 'open', 'kill', 'subscribe there', 'open'] }],
        [{ isQueued: false, steps: ['subscribe there', 'open', 'leave', 'kill', 'subscribe here'] }],
      ],
      endOnFailure: true,
    });
  });
});
