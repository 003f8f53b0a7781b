import { eventSources } from '#lib/api/event-sources.ts';
import { queueConsumer } from '#lib/api/queue-consumer.ts';
import { keepDeadLetter } from '#lib/run/dead-letter/keep.ts';

export const handler = queueConsumer(eventSources.keepDeadLetter, keepDeadLetter);
