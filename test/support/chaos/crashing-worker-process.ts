// A worker that handles one batch of the run queue, and is killed on the way.
import type { Context, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { handler } from '#functions/run/run-queued.ts';

const workOrder = z.object({
  event: z.custom<SQSEvent>(),
  context: z.custom<Context>(),
  remainingMs: z.number(),
});

process.once('message', async (message) => {
  const { event, context, remainingMs } = workOrder.parse(message);
  await handler(event, { ...context, getRemainingTimeInMillis: () => remainingMs });
  process.send?.('survived', () => process.exit());
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
