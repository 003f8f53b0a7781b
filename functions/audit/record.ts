import { recordLines } from '#lib/audit/record-lines.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { logConsumer } from '#lib/worker/log-consumer.ts';

export const handler = logConsumer(eventSources.recordAudit, recordLines);
