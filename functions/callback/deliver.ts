import { deliverCallback } from '#lib/callback/deliver.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { queueConsumer } from '#lib/worker/queue-consumer.ts';

export const handler = queueConsumer(queueSources.deliverCallback, deliverCallback);
