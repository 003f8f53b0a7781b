import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { type QueueDelivery, queueConsumer } from '#lib/worker/queue-consumer.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { batch } from '#test/support/runs.ts';

let sqs: AwsProxy;
beforeAll(async () => {
  sqs = await startAwsProxy('http://127.0.0.1:1', () => ({ status: 200, error: { Successful: [] } }));
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
  sqs.calls.length = 0;
});

const event = z.custom<SQSEvent>().parse(batch(['{}'], 1));
const context = z.custom<Context>().parse({ getRemainingTimeInMillis: () => 900_000 });

/** Consumes one message for as long as `during` takes. */
async function consumeDuring(during: (delivery: QueueDelivery) => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const handler = queueConsumer({ entry: 'run/run-queued', hides: true }, during);
  try {
    expect(await handler(event, context)).toEqual({ batchItemFailures: [] });
  } finally {
    vi.useRealTimers();
  }
}

const arrived = async (count: number) => await vi.waitUntil(() => sqs.calls.length === count);

test('a message is hidden once it is consumed for a second, and again while it is', async () => {
  await consumeDuring(async () => {
    vi.advanceTimersByTime(999);
    expect(sqs.calls).toEqual([]);
    vi.advanceTimersByTime(1);
    await arrived(1);
    vi.advanceTimersByTime(39_000);
    await arrived(2);
  });
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
