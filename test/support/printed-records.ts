// Audit records that functions print while they run in a test's own process. Nobody subscribes to what is
// printed here, so a test looks at the records itself, or hands them to the function that writes them. Loaded
// before every test over HTTP, it keeps them out of the report.
import { gzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent } from 'aws-lambda';
import { type AuditEntry, auditLine } from '#lib/audit/audit-record.ts';

export const printedRecords: AuditEntry[] = [];

const { write } = process.stdout;
Object.assign(process.stdout, {
  write: (chunk: unknown, ...rest: unknown[]): unknown => {
    if (typeof chunk !== 'string' || !chunk.startsWith('{"audit":'))
      return Reflect.apply(write, process.stdout, [chunk, ...rest]);
    printedRecords.push(auditLine.parse(JSON.parse(chunk)).audit);
    return true;
  },
});

export const formatRecord = (entry: AuditEntry): string => JSON.stringify({ audit: entry });

/** As CloudWatch Logs delivers lines to a function. */
export function linesEvent(messages: readonly string[], some: object = {}): CloudWatchLogsEvent {
  const delivery = {
    messageType: 'DATA_MESSAGE',
    owner: '000000000000',
    logGroup: 'ListRegistryRowsLogs',
    logStream: 'test',
    subscriptionFilters: ['audit'],
    logEvents: messages.map((message, n) => ({ id: `line-${n}`, timestamp: Date.now(), message })),
    ...some,
  };
  return { awslogs: { data: gzipSync(JSON.stringify(delivery)).toString('base64') } };
}
