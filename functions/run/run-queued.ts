import { queueSources } from '#lib/routes/event-sources.ts';
import { queueConsumer } from '#lib/worker/queue-consumer.ts';
import { runDelivery } from '#lib/worker/run-queued.ts';

export const handler = queueConsumer(queueSources.runQueued, runDelivery);
