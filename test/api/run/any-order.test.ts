// A run under deliveries, answers and cancels in any number and order, two at a time: its events have no gap
// and one end, which is the last; and as long as every lease is respected, no node has its effect twice.
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { ServiceError } from '#lib/errors.ts';
import { requestLog } from '#lib/log.ts';
import { endRun } from '#lib/run/end.ts';
import { resumeRun } from '#lib/run/resume.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { viewRun } from '#lib/run/state.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { liveAgent } from '#test/support/flows.ts';
import { expireLease, ownQueue, webhookMessage } from '#test/support/runs.ts';
import { seed } from '#test/support/seed.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const shift = { remainingMs: () => 900_000, log: requestLog({}) };
const lane = (steps: readonly Step[]) =>
  fc.array(fc.constantFrom<Step>(...steps), { minLength: 1, maxLength: 6 });
type Step = 'deliver' | 'yes' | 'no' | 'cancel' | 'expire';
const respectful: readonly Step[] = ['deliver', 'deliver', 'deliver', 'yes', 'no', 'cancel'];
const usual = fc.tuple(lane(respectful), lane(respectful));
const rude = fc.tuple(lane([...respectful, 'expire']), lane([...respectful, 'expire']));

/** Calls, asks, calls and ends. */
async function newHistory() {
  const [first, second] = [unique('first'), unique('second')];
  const call = (name: string, next: string) => ({ type: 'http', url: `${upstream.url}/count/${name}`, next });
  const agent = await liveAgent({
    flow: flow({
      egress: [upstream.host],
      start: 'first',
      nodes: {
        first: call(first, 'ask'),
        ask: { type: 'ask', prompt: 'Go on?', choices: ['yes', 'no'], next: 'second' },
        second: call(second, 'done'),
        done: { type: 'end', output: { answer: '{{ nodes.ask }}' } },
      },
    }),
  });
  return { message: webhookMessage(agent), effects: () => [upstream.calls(first), upstream.calls(second)] };
}
type History = Awaited<ReturnType<typeof newHistory>>;

const view = async (id: string) => {
  const run = await readRun(id);
  return run && viewRun(run, await readEvents(id));
};

async function take({ message }: History, step: Step): Promise<void> {
  const id = message.triggerId;
  if (step === 'deliver') return void (await runQueued(message, shift));
  const now = await view(id);
  if (!now) return;
  if (step === 'expire') await expireLease(id);
  else if (step === 'cancel') await endRun(now.run, { status: 'canceled' });
  else await unlessRefused(resumeRun(now, { answer: step }, 0));
}

async function unlessRefused(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'run_not_waiting') throw error;
  });
}

/** As time would: leases run out, the message comes back, somebody answers. */
async function bringToItsEnd(history: History): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    const now = await view(history.message.triggerId);
    if (now && isFinal(now.status)) return;
    if (now) await expireLease(history.message.triggerId);
    await take(history, 'deliver');
    await take(history, 'yes');
  }
}

async function faults({ message, effects }: History, effectsMax: number): Promise<string[]> {
  const events = await readEvents(message.triggerId);
  const run = await readRun(message.triggerId);
  const ends = events.filter(({ status }) => isFinal(status));
  return [
    ...(events.every(({ generation }, n) => generation === n + 1) ? [] : ['The events have a gap.']),
    ...(ends.length === 1 && events.at(-1) === ends[0] ? [] : ['The run has not one end, at its end.']),
    ...(run?.generation === events.length && run.status === ends[0]?.status
      ? []
      : ['The header tells another story.']),
    ...(effects().every((count) => count <= effectsMax) ? [] : [`Effects: ${effects()}.`]),
  ];
}

const property = (histories: typeof usual, effectsMax: number) =>
  fc.asyncProperty(histories, async (lanes) => {
    const history = await newHistory();
    await using _queue = await ownQueue();
    await Promise.all(
      lanes.map(async (steps) => {
        for (const step of steps) await take(history, step);
      }),
    );
    await bringToItsEnd(history);
    const found = await faults(history, effectsMax);
    if (found.length > 0) throw new Error(found.join(' '));
  });

const size = {
  numRuns: process.env.CHAOS === 'full' ? 100 : 8,
  seed,
};

test('while leases are respected, each node has its effect at most once', async () => {
  await fc.assert(property(usual, 1), size);
});

test('whatever happens to leases, the events of a run have one order and exactly one end', async () => {
  await fc.assert(property(rude, Number.POSITIVE_INFINITY), size);
});
