// The items of workspaces in the control table: their names. A workspace that is only used, such as that of a key which
// was issued offline, has none.
import * as z from 'zod';
import { batchGet } from '#lib/dynamo/batch.ts';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { orgid, type WorkspaceScope, workspaceid } from '#lib/ids.ts';

export const storedWorkspace = z.object({
  workspaceid,
  orgid,
  name: z.string(),
  version: z.int(),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
  updated_by: z.string(),
});
export type StoredWorkspace = z.infer<typeof storedWorkspace>;

export const workspaceItemKey = ({ orgid, workspaceid }: WorkspaceScope) => ({
  pk: `ORG#${orgid}`,
  sk: `WS#${workspaceid}`,
});

/** Those that have a name, in the order of the ids, of which there are at most 100. */
export async function readWorkspaces(orgid: string, ids: readonly string[]): Promise<StoredWorkspace[]> {
  if (ids.length === 0) return [];
  const keys = ids.map((workspaceid) => workspaceItemKey({ orgid, workspaceid }));
  const items = await batchGet(lowLatencyControlTable, keys, { ConsistentRead: true });
  const read = items.map((item) => storedWorkspace.parse(item));
  return ids.flatMap((id) => read.find(({ workspaceid }) => workspaceid === id) ?? []);
}

/** In the order of their ids; fewer than `limit` only where there are no more. */
export async function queryWorkspaces(
  orgid: string,
  limit: number,
  after?: string | undefined,
): Promise<StoredWorkspace[]> {
  const { pk, sk } = workspaceItemKey({ orgid, workspaceid: '' });
  const items = await queryFirst(
    lowLatencyControlTable,
    {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
      ConsistentRead: true,
      ...(after !== undefined && { ExclusiveStartKey: { pk, sk: `${sk}${after}` } }),
    },
    limit,
  );
  return items.map((item) => storedWorkspace.parse(item));
}
