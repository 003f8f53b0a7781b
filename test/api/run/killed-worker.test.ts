// A worker that dies at any of its AWS calls: its run is taken over and ends once, and no node that a
// snapshot holds is run again. `npm test` tries some of the calls, `npm run chaos` each of them.
import { createServer } from 'node:http';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { handler } from '#functions/run/run-queued.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { claimsMax } from '#lib/run/lease-times.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { unique } from '#test/support/caller.ts';
import { workUnlessKilled, workUntilKilled } from '#test/support/chaos/crashing-worker.ts';
import { randomFrom } from '#test/support/chaos/faults.ts';
import { callingFlow, liveAgent, replyingFlow } from '#test/support/flows.ts';
import { context } from '#test/support/invocation.ts';
import { batch, expireLease, ownQueue, webhookMessage } from '#test/support/runs.ts';
import { seed } from '#test/support/seed.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { work } from '#test/support/worker.ts';

const isFull = process.env.CHAOS === 'full';
/** More than a worker makes for this flow. */
const callsMax = 30;
const triesUsual = 3;

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const workHere = async (body: string, remainingMs: number) =>
  await handler(
    z.custom<SQSEvent>().parse(batch([body])),
    z.custom<Context>().parse({ ...context, getRemainingTimeInMillis: () => remainingMs }),
  );

/** A flow of two calls, whose worker dies; answers whether it got so far. */
async function history(death: { call: number; arrives: boolean }, remainingMs: number): Promise<boolean> {
  const [first, second] = [unique('first'), unique('second')];
  const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${first}`, `count/${second}`]) });
  const message = webhookMessage(agent);
  const body = JSON.stringify(message);
  const context = `seed ${seed}: killed at call ${death.call}, which ${death.arrives ? 'arrived' : 'was lost'}`;
  await using _queue = await ownQueue();
  const isAlive = await workUntilKilled(body, remainingMs, death);
  // The message comes back, as often as it takes, and more often than needed.
  for (let delivery = 0; delivery < 4; delivery += 1) {
    const run = await readRun(message.triggerId);
    if (run && !isFinal(run.status)) await expireLease(message.triggerId);
    expect(await workHere(body, 900_000), context).toEqual({ batchItemFailures: [] });
  }
  const events = await readEvents(message.triggerId);
  expect((await readRun(message.triggerId))?.status, context).toBe('completed');
  expect(
    events.filter(({ status }) => status === 'completed'),
    context,
  ).toHaveLength(1);
  const calls = [upstream.calls(first), upstream.calls(second)];
  // Nodes run at least once; one more only where the death came between its effect and its snapshot.
  expect(
    calls.every((each) => each >= 1),
    context,
  ).toBe(true);
  expect(
    calls.reduce((sum, each) => sum + each),
    context,
  ).toBeLessThanOrEqual(3);
  return isAlive;
}

test.each([
  ['in one shift', 900_000],
  // 20 s are left for the hand-over, so such a shift ends with its first node.
  ['that hands its run on', 20_001],
])('a run survives a worker %s that dies at any call', async (_, remainingMs) => {
  const random = randomFrom(seed);
  const calls = isFull
    ? Array.from({ length: callsMax * 2 }, (_each, n) => ({ call: (n >> 1) + 1, arrives: n % 2 === 0 }))
    : Array.from({ length: triesUsual }, () => ({
        call: 1 + Math.floor(random() * 14),
        arrives: random() < 0.5,
      }));
  for (const death of calls) if ((await history(death, remainingMs)) && isFull) break;
});

test('a run whose flow only computes survives a worker that dies at any call, and is stored once', async () => {
  const agent = await liveAgent({ flow: replyingFlow() });
  for (const arrives of [true, false])
    for (let call = 1; call <= callsMax; call += 1) {
      const { triggerId, ...some } = webhookMessage(agent);
      const body = JSON.stringify({ triggerId, ...some });
      await using _queue = await ownQueue();
      const isAlive = await workUntilKilled(body, 900_000, { call, arrives });
      if (await readRun(triggerId)) await expireLease(triggerId);
      const context = `killed at call ${call}, which ${arrives ? 'arrived' : 'was lost'}`;
      expect(await work([body], 2), context).toEqual({ batchItemFailures: [] });
      expect(await readRun(triggerId), context).toMatchObject({ status: 'completed' });
      const ends = (await readEvents(triggerId)).filter(({ status }) => isFinal(status));
      expect(ends, context).toHaveLength(1);
      if (isAlive) break;
    }
});

test('of five runs only the one that kills its workers fails, and the others complete', async () => {
  let kill = () => {};
  const lethal = createServer(() => kill());
  const url = await listen(lethal, 0);
  const name = unique('count');
  const good = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
  const poisonous = await liveAgent({ flow: callingFlow({ url, host: new URL(url).host }, ['any']) });
  const poison = webhookMessage(poisonous);
  const others = Array.from({ length: 4 }, () => webhookMessage(good));
  await using _queue = await ownQueue();
  // As the queue brings them, with the poisonous one in the middle.
  const waiting = [...others.slice(0, 2), poison, ...others.slice(2)];
  let killed = 0;
  while (waiting.length > 0) {
    const taken = waiting.splice(0, queueSources.runQueued.batchSize);
    const bodies = taken.map((each) => JSON.stringify(each));
    // Only this one needs a process that may die.
    const isAlive = taken.includes(poison)
      ? await workUnlessKilled(bodies, (given) => {
          kill = given;
        })
      : (await work(bodies)).batchItemFailures.length === 0;
    if (isAlive) continue;
    killed += 1;
    for (const { triggerId } of taken) if (await readRun(triggerId)) await expireLease(triggerId);
    waiting.push(...taken);
  }
  await closeServer(lethal);
  expect(killed).toBe(claimsMax);
  expect(await readRun(poison.triggerId)).toMatchObject({ status: 'failed' });
  const [last] = (await readEvents(poison.triggerId)).slice(-1);
  expect(JSON.stringify(last)).toContain(`the end of ${claimsMax} workers in a row`);
  for (const { triggerId } of others) expect(await readRun(triggerId)).toMatchObject({ status: 'completed' });
  expect(upstream.calls(name)).toBe(others.length);
});
