import { keepDeadLetter } from '#lib/dead-letter/keep.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { queueConsumer } from '#lib/worker/queue-consumer.ts';

export const handler = queueConsumer(queueSources.keepDeadLetter, keepDeadLetter);
