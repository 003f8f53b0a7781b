import { queueSources } from '#lib/routes/event-sources.ts';
import { queueConsumer } from '#lib/worker/queue-consumer.ts';
import { runMessage } from '#lib/worker/run-message.ts';

export const handler = queueConsumer(queueSources.runQueued, runMessage);
