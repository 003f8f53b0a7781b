// The items of the audit trail, in the runs table, which is for many items that expire. A partition holds one
// day of one workspace, or of what concerns a whole organisation, so its size is bounded and a query never
// leaves its organisation.
import * as z from 'zod';
import { batchPut } from '#lib/dynamo/batch.ts';
import { lowLatencyRunsTable, runsTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { requireEnv } from '#lib/env.ts';
import { built } from '#lib/json/built-schema.ts';
import { type AuditEntry, type AuditRecord, auditRecord } from './audit-record.ts';

const daySeconds = 86_400;

/** No organisation or workspace can have this name. */
const none = '-';
const partition = (orgid: string | undefined, workspaceid: string | undefined, day: string) =>
  `AUDIT#${orgid ?? none}#${workspaceid ?? none}#${day}`;

/** Sorts the records of a day by time. */
export const sortKey = (record: Pick<AuditRecord, 'at' | 'requestid'>): string =>
  `${record.at}#${record.requestid}`;
export const utcDay = (at: string): string => at.slice(0, 10);

/** A record has one key, so putting it again has no second effect. */
export async function putEntries(entries: readonly AuditEntry[]): Promise<void> {
  const keptSeconds = Number(requireEnv('AUDIT_RETENTION_DAYS')) * daySeconds;
  const items = entries.map((entry) => ({
    pk: partition(entry.orgid, entry.workspaceid, utcDay(entry.at)),
    sk: sortKey(entry),
    ttl: Math.floor(Date.parse(entry.at) / 1_000) + keptSeconds,
    ...entry,
  }));
  // DynamoDB refuses a batch with two writes of one item; the later line has the outcome of the request.
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  await batchPut(runsTable, [...byKey.values()]);
}

export interface DayQuery {
  readonly orgid: string;
  readonly workspaceid: string | undefined;
  readonly day: string;
  /** Sort keys, both included. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

const listedRecord = /* @__PURE__ */ z.lazy(() => built(auditRecord).strip());

/**
 * Newest first; fewer than `limit` only where the range ends. One call: so many records are far less than the
 * megabyte that an answer of DynamoDB holds.
 */
export async function queryDay(query: DayQuery): Promise<AuditRecord[]> {
  // DynamoDB refuses an empty range.
  if (query.from > query.to) return [];
  const items = await queryFirst(
    lowLatencyRunsTable,
    {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': partition(query.orgid, query.workspaceid, query.day),
        ':from': query.from,
        ':to': query.to,
      },
      ScanIndexForward: false,
    },
    query.limit,
  );
  return items.map((item) => listedRecord.parse(item));
}
