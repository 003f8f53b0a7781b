import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { type QueueDelivery, queueConsumer } from '#lib/worker/queue-consumer.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { batch } from '#test/support/runs.ts';

let sqs: AwsProxy;
let called = Promise.withResolvers<void>();
beforeAll(async () => {
  sqs = await startAwsProxy('http://127.0.0.1:1', () => {
    called.resolve();
    return { status: 200, error: { Successful: [] } };
  });
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_SQS: sqs.url,
    RUN_QUEUE_URL: `${sqs.url}/000000000000/runs`,
  });
});
afterAll(() => sqs.close());
beforeEach(() => {
  called = Promise.withResolvers();
  sqs.calls.length = 0;
});

const event = z.custom<SQSEvent>().parse(batch(['{}'], 1));
const context = z.custom<Context>().parse({ getRemainingTimeInMillis: () => 900_000 });

/** Consumes one message for as long as `during` takes; `after` happens while the handler ends. */
async function consumeDuring(
  during: (delivery: QueueDelivery) => Promise<void>,
  after: () => Promise<void> = async () => undefined,
): Promise<number> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const handler = queueConsumer({ entry: 'run/run-queued', hides: true }, during);
  try {
    const [{ batchItemFailures }] = await Promise.all([handler(event, context), after()]);
    return batchItemFailures.length;
  } finally {
    vi.useRealTimers();
  }
}

/** Each look takes 50 ms of the timers. */
const arrived = async (count: number) =>
  await vi.waitUntil(() => sqs.calls.length === count, { timeout: 60_000 });

test('a message is hidden once it is consumed for a second, and again while it is', async () => {
  const failed = await consumeDuring(async () => {
    vi.advanceTimersByTime(999);
    expect(sqs.calls).toEqual([]);
    vi.advanceTimersByTime(1);
    await arrived(1);
    vi.advanceTimersByTime(39_000);
    await arrived(2);
  });
  expect(failed).toBe(0);
});

test('a message that its consumer hides is not hidden again after a second', async () => {
  await consumeDuring(async ({ hide }) => {
    hide();
    hide();
    vi.advanceTimersByTime(1_000);
    await arrived(1);
  });
  expect(sqs.calls).toEqual(['ChangeMessageVisibilityBatch']);
});

test('a message that fails shortly before is hidden until its next try, and no more', async () => {
  const failed = await consumeDuring(
    async () => {
      vi.advanceTimersByTime(999);
      throw new Error('It cannot be consumed now.');
    },
    async () => {
      await called.promise;
      // The time limit of the call.
      expect(vi.getTimerCount()).toBe(1);
    },
  );
  expect(failed).toBe(1);
  expect(sqs.calls).toEqual(['ChangeMessageVisibilityBatch']);
});
