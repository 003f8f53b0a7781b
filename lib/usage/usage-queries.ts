// Reads the counters of what models have used. Functions that run flows only write them.
import * as z from 'zod';
import { lowLatencyRunsTable, runsTable } from '#lib/dynamo/client.ts';
import { queryAll, queryPages } from '#lib/dynamo/query.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { directoryKey, type UsageFigures, usagePartition } from './usage-items.ts';

const figures = {
  calls: z.number(),
  input: z.number(),
  output: z.number(),
  cached: z.number(),
  cache_write: z.number(),
  cost_nano: z.number(),
  unpriced: z.number(),
} satisfies Record<keyof UsageFigures, z.ZodNumber>;

const counter = z.object({
  ...figures,
  day: z.string(),
  flowid: z.string(),
  key: z.string().optional(),
  model: z.string(),
});
export type UsageCounter = z.infer<typeof counter>;

/** The workspaces of an organisation that have counters in a month, in the order of their ids. */
export async function queryUsedWorkspaces(orgid: string, month: string): Promise<string[]> {
  const { pk, sk } = directoryKey({ orgid, workspaceid: '' }, month);
  const items = await queryAll(lowLatencyRunsTable, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
    ConsistentRead: true,
  });
  return items.map((item) => z.string().parse(item.sk).slice(sk.length));
}

/** Both days are included, and are of one month. */
export interface UsageDays {
  readonly first: string;
  readonly last: string;
}

/** A megabyte at a time. */
export async function* queryUsage(
  workspace: WorkspaceScope,
  { first, last }: UsageDays,
): AsyncGenerator<UsageCounter[], void> {
  const pages = queryPages(runsTable, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    // `~` sorts after every character of a sort key.
    ExpressionAttributeValues: {
      ':pk': usagePartition(workspace, first.slice(0, 7)),
      ':first': first,
      ':last': `${last}~`,
    },
    ConsistentRead: true,
  });
  for await (const items of pages) yield items.map((item) => counter.parse(item));
}
