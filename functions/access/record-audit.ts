import { recordLines } from '#lib/access/audit/record-lines.ts';
import { eventSources } from '#lib/api/event-sources.ts';
import { logConsumer } from '#lib/api/log-consumer.ts';

export const handler = logConsumer(eventSources.recordAudit, recordLines);
