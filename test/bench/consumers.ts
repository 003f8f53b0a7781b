// The consumers of a queue, by sqs-consumer, which is installed for the bench alone.
import * as z from 'zod';

/** As many as the local host has for its run queue. */
const pollers = 20;

export interface ReceivedMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
}
type Handle = (message: ReceivedMessage) => Promise<void>;

const consumer = z.object({
  startConsumer: z.custom<(queueUrl: string, batchSize: number, handle: Handle) => void>(
    (value) => typeof value === 'function',
  ),
});

export async function startConsumers(queueUrl: string, batchSize: number, handle: Handle): Promise<void> {
  const { startConsumer } = consumer.parse(await import(new URL('peers/consumer.mjs', import.meta.url).href));
  for (let n = 0; n < pollers; n += 1) startConsumer(queueUrl, batchSize, handle);
}
