import { queueSources } from '#lib/api/event-sources.ts';
import { queueConsumer } from '#lib/api/queue-consumer.ts';
import { runMessage } from '#lib/run/run-message.ts';

export const handler = queueConsumer(queueSources.runQueued, runMessage);
