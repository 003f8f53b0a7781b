// Leaves an audit record as one line of the function's log. The line is durable and costs the request no
// call; a subscription of the log group brings it to the trail (`record-lines.ts`).
import type { AuditEntry } from './audit-record.ts';

/**
 * Past the logger, so that no log level silences it. Node writes to a pipe at once, so the line is out before
 * Lambda freezes the process.
 */
export function printRecord(entry: AuditEntry): void {
  process.stdout.write(`${JSON.stringify({ audit: entry })}\n`);
}
