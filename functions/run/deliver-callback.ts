import { queueSources } from '#lib/api/event-sources.ts';
import { queueConsumer } from '#lib/api/queue-consumer.ts';
import { deliverCallback } from '#lib/run/completion/deliver.ts';

export const handler = queueConsumer(queueSources.deliverCallback, deliverCallback);
