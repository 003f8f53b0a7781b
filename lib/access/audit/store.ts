// The audit trail in the runs table, which is the one for what is many, append-only and expires. A partition holds one day of one workspace
// (or of what concerns a whole organisation), so none grows without bound and a query never leaves its organisation.
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { hastyDocuments } from '#lib/store.ts';
import { type AuditRecord, auditRecord } from './audit-record.ts';

const TableName = () => requireEnv('RUNS_TABLE');
const keptSeconds = 365 * 86_400;

/** No organisation or workspace can have this name. */
const nobody = '-';
const partition = (orgid: string | undefined, workspaceid: string | undefined, day: string) =>
  `AUDIT#${orgid ?? nobody}#${workspaceid ?? nobody}#${day}`;

/** Without an organisation for a request that nobody can be held to: kept for the operator, out of reach of the API. */
export type Entry = Omit<AuditRecord, 'orgid'> & { readonly orgid: string | undefined };

/** Where a record is in its day; it sorts by time. */
export const placeOf = (record: Pick<AuditRecord, 'at' | 'requestid'>): string =>
  `${record.at}#${record.requestid}`;
export const dayOf = (at: string): string => at.slice(0, 10);

export async function appendRecord(entry: Entry): Promise<void> {
  const Item = {
    pk: partition(entry.orgid, entry.workspaceid, dayOf(entry.at)),
    sk: placeOf(entry),
    ttl: Math.floor(Date.parse(entry.at) / 1_000) + keptSeconds,
    ...entry,
  };
  await hastyDocuments.send(new PutCommand({ TableName: TableName(), Item }));
}

export interface DayQuery {
  readonly orgid: string;
  readonly workspaceid: string | undefined;
  readonly day: string;
  /** Places, both included. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

/** Newest first. One call: `limit` records are far less than the megabyte that one answer of DynamoDB holds. */
export async function queryDay(query: DayQuery): Promise<AuditRecord[]> {
  // DynamoDB refuses an empty range.
  if (query.from > query.to) return [];
  const { Items = [] } = await hastyDocuments.send(
    new QueryCommand({
      TableName: TableName(),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': partition(query.orgid, query.workspaceid, query.day),
        ':from': query.from,
        ':to': query.to,
      },
      ScanIndexForward: false,
      Limit: query.limit,
    }),
  );
  return Items.map((item) => auditRecord.strip().parse(item));
}
