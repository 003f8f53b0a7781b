// A worker that dies at any of its AWS calls while it delivers a callback: its message comes again, and the
// callback is neither lost nor recorded twice. The call it dies at is done or not; nobody can tell.
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { handler } from '#functions/callback/deliver.ts';
import { requireEnv } from '#lib/env.ts';
import { newRunId } from '#lib/ids.ts';
import { insertRun } from '#lib/run/run-items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { expireClaim, listDeliveries, newCallbackSecret, settled } from '#test/support/callbacks.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { context } from '#test/support/invocation.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { batch } from '#test/support/runs.ts';
import { run as storedRun } from '#test/support/stored-run.ts';

/** Numbers the calls of all services together. */
let judge: () => Verdict = () => 'pass';
const proxies: AwsProxy[] = [];
let agent: TestAgent;
let receiver: Receiver;

beforeAll(async () => {
  for (const name of ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_KMS', 'DELIVERY_QUEUE_URL']) {
    const { origin, pathname } = new URL(process.env[name] ?? '');
    const proxy = await startAwsProxy(origin, () => judge());
    proxies.push(proxy);
    process.env[name] = `${proxy.url}${pathname}`;
  }
  expect(requireEnv('DELIVERY_QUEUE_URL')).toMatch(/\d{12}\//);
  agent = await liveAgent();
  await newCallbackSecret(agent);
  receiver = await startReceiver();
});
afterAll(async () => void (await Promise.all([receiver, ...proxies].map((each) => each.close()))));

const sqsEvent = z.custom<SQSEvent>();
const here = z.custom<Context>().parse(context);

/** True when the message comes again. */
async function deliver({ run_id, orgid }: StoredRun): Promise<boolean> {
  const body = JSON.stringify({ kind: 'callback', run_id, orgid, attempt: 0, wait_seconds: 0 });
  return (await handler(sqsEvent.parse(batch([body])), here)).batchItemFailures.length > 0;
}

async function finishedRun(): Promise<StoredRun> {
  const { orgid, workspaceid } = agent;
  const run = storedRun({
    ...{ run_id: newRunId(), orgid, workspaceid, status: 'completed', callback_url: receiver.url },
    ttl: Math.floor(Date.now() / 1_000) + 600,
  });
  await insertRun(run);
  return run;
}

const dead: Verdict = { status: 400, error: { __type: 'ValidationException', message: 'Dead.' } };

/** Dies at a call; from then on nothing it asks for happens. The number of calls it had made by then. */
async function dieAt(call: number, arrives: boolean, run: StoredRun): Promise<number> {
  let calls = 0;
  judge = () => {
    calls += 1;
    if (calls < call) return 'pass';
    return calls === call && arrives ? 'lose answer' : dead;
  };
  await deliver(run);
  judge = () => 'pass';
  return calls;
}

const countCallbacks = ({ run_id }: StoredRun) =>
  receiver.received.filter(({ headers }) => headers['webhook-id'] === run_id).length;

/** More than a delivery makes; the test says so when that changes. */
const callsMax = 12;

test.each([true, false])(
  'at each call in turn, with the call completed: %s',
  async (arrives) => {
    let last = 0;
    for (let call = 1; call <= callsMax; call += 1) {
      receiver.answers.splice(0, Number.POSITIVE_INFINITY, 500);
      const run = await finishedRun();
      const calls = await dieAt(call, arrives, run);
      if (calls < call) break;
      last = call;
      // SQS delivers the message again once its visibility has run out, long after the claim has.
      await expireClaim(run);
      await deliver(run);
      const { state, attempts } = await settled(agent, run);
      expect([call, state]).toEqual([call, 'delivered']);
      expect(attempts.at(-1)?.status).toBe(204);
      expect(countCallbacks(run)).toBeGreaterThanOrEqual(attempts.length);
      expect(await deliver(run)).toBe(false);
      expect((await listDeliveries(agent, run)).attempts).toEqual(attempts);
    }
    expect(last).toBeGreaterThan(6);
    expect(last).toBeLessThan(callsMax);
  },
  60_000,
);
