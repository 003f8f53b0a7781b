import { queueSources } from '#lib/api/event-sources.ts';
import { queueConsumer } from '#lib/api/queue-consumer.ts';
import { keepDeadLetter } from '#lib/run/dead-letter/keep.ts';

export const handler = queueConsumer(queueSources.keepDeadLetter, keepDeadLetter);
