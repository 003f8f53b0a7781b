// One page of the audit trail of a workspace, or of the organisation's own records, and the cursor of the
// next page.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { ServiceError } from '#lib/errors.ts';
import { queryDay, sortKey, utcDay } from './audit-items.ts';
import type { AuditRecord } from './audit-record.ts';

export interface AuditQuery {
  readonly workspaceid?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Each day of the range is a call, so the range is bounded. */
export const auditDaysMax = 31;
const daysDefault = 7;
const dayMs = 86_400_000;
const limitDefault = 50;

interface Range {
  readonly from: string;
  readonly to: string;
  /** The sort key of the last record of the page before. */
  readonly after: string | undefined;
}

/** Newest first, day by day until the page is full. */
export async function readAudit(
  caller: Caller,
  query: AuditQuery,
  at: string,
): Promise<{ items: AuditRecord[]; nextCursor: string | undefined }> {
  requireReader(caller, query.workspaceid);
  const { workspaceid, from, to } = query;
  const scope = { list: 'audit', caller, query: { workspaceid, from, to } };
  const range = query.cursor === undefined ? parseRange(query, at) : await readRange(query.cursor, scope);
  const limit = query.limit ?? limitDefault;
  const found = await recordsIn(range, {
    orgid: caller.orgid,
    workspaceid,
    limit: limit + 1,
  });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const position = last && [range.from, range.to, sortKey(last)];
  const nextCursor = found.length > limit && position ? await writeCursor(scope, position) : undefined;
  return { items, nextCursor };
}

function requireReader(caller: Caller, workspaceid: string | undefined): void {
  if (workspaceid !== undefined) requireWorkspace(caller, workspaceid);
  else if (caller.workspaces !== '*') {
    const detail = 'Name a workspace: what concerns the organisation is for credentials for all workspaces.';
    throw new ServiceError('permission_denied', { detail });
  }
}

function parseRange({ from, to }: AuditQuery, at: string): Range {
  const end = Date.parse(to ?? at);
  const start = from === undefined ? end - daysDefault * dayMs : Date.parse(from);
  if (isBounded(start, end)) return { from: toIso(start), to: toIso(end), after: undefined };
  const detail = `must be before \`to\`, by ${auditDaysMax} days at most`;
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/from', detail }] });
}

const cursorPosition = z.tuple([z.string(), z.string(), z.string()]);

/** The range of the first page, since its end may have been "now". */
async function readRange(cursor: string, scope: CursorBinding): Promise<Range> {
  const [from, to, after] = await readCursor(cursor, scope, cursorPosition);
  return { from, to, after };
}

/** False also for texts that are no time. */
const isBounded = (start: number, end: number): boolean =>
  start <= end && end - start <= auditDaysMax * dayMs;
const toIso = (ms: number): string => new Date(ms).toISOString();

async function recordsIn(
  { from, to, after }: Range,
  { orgid, workspaceid, limit }: { orgid: string; workspaceid: string | undefined; limit: number },
): Promise<AuditRecord[]> {
  // `~` sorts after every character of a sort key.
  const last = after !== undefined && after < `${to}~` ? after : `${to}~`;
  const found: AuditRecord[] = [];
  for (const day of daysBack(from, utcDay(last))) {
    // One more, for the record that the page before ended with.
    const wanted = limit - found.length + 1;
    const records = await queryDay({ orgid, workspaceid, day, from, to: last, limit: wanted });
    found.push(...records.filter((record) => sortKey(record) !== after));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** From the last day back to that of `from`. */
function daysBack(from: string, lastDay: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(`${utcDay(from)}T00:00:00Z`); days.length <= auditDaysMax; time += dayMs) {
    const day = utcDay(new Date(time).toISOString());
    if (day > lastDay) break;
    days.unshift(day);
  }
  return days;
}
