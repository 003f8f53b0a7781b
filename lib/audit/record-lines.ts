// Writes the records that functions have printed to the audit trail. A line that is not a valid record is
// counted and skipped. If DynamoDB fails, all lines are delivered again, which has no second effect.

import { tryParse } from '#lib/json/try-parse.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { putEntries } from './audit-items.ts';
import { type AuditEntry, auditLine } from './audit-record.ts';

interface Line {
  /** The id of the event in CloudWatch Logs. */
  readonly id: string;
  readonly message: string;
}

interface LogBatch {
  readonly lines: readonly Line[];
  readonly log: Log;
}

export async function recordLines({ lines, log }: LogBatch): Promise<void> {
  await putEntries(lines.flatMap((line) => parseLine(line, log)));
}

/** The log names the members that are wrong, never their values. */
function parseLine({ id, message }: Line, log: Log): readonly AuditEntry[] {
  const parsed = auditLine.safeParse(tryParse(message));
  if (parsed.success) return [parsed.data.audit];
  const mistakes = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'line'}: ${code}`);
  log.error('audit record lost', { event_id: id, reason: mistakes.join('; ') });
  count('AuditLost');
  return [];
}
