// What is in a workspace, in words: whatever of the control table names it. Runs and audit records are no contents: they
// expire.
import { controlTable } from '#lib/dynamo/client.ts';
import { queryPages } from '#lib/dynamo/query.ts';
import type { WorkspaceScope } from '#lib/ids.ts';

interface Lookup {
  readonly what: string;
  readonly index?: 'gsi1';
  readonly partition: (scope: WorkspaceScope) => string;
  /** Which items of a partition of the whole organisation are of this workspace. */
  readonly filter?: string;
}

const isRoleThere = 'attribute_exists(#roles.#ws)';
/** Partitions of the table are read with strong consistency; indexes lag behind writes by moments. */
const lookups: readonly Lookup[] = [
  { what: 'agents', index: 'gsi1', partition: ({ orgid, workspaceid }) => `WS#${orgid}#${workspaceid}` },
  {
    what: 'triggers',
    index: 'gsi1',
    partition: ({ orgid, workspaceid }) => `TRIGGERS#${orgid}#${workspaceid}`,
  },
  { what: 'connections', partition: ({ orgid, workspaceid }) => `CONN#${orgid}#${workspaceid}` },
  { what: 'settings of environments', partition: ({ orgid, workspaceid }) => `ENV#${orgid}#${workspaceid}` },
  { what: 'signing secrets', partition: ({ orgid, workspaceid }) => `SECRET#${orgid}#${workspaceid}` },
  {
    what: 'API keys',
    index: 'gsi1',
    partition: ({ orgid }) => `KEYS#${orgid}`,
    filter: 'contains(workspaces, :ws) AND attribute_not_exists(revoked_at) AND expires_at > :at',
  },
  { what: 'members', index: 'gsi1', partition: ({ orgid }) => `MEMBERS#${orgid}`, filter: isRoleThere },
  {
    what: 'open invitations',
    index: 'gsi1',
    partition: ({ orgid }) => `INVITES#${orgid}`,
    filter: `${isRoleThere} AND expires_at > :at`,
  },
];

/** Such as `agents` and `API keys`; none for an empty workspace. */
export async function findContents(scope: WorkspaceScope, at: string): Promise<string[]> {
  const found = await Promise.all(lookups.map(async (lookup) => await hasItems(lookup, scope, at)));
  return lookups.filter((_lookup, n) => found[n]).map(({ what }) => what);
}

async function hasItems(
  { index, partition, filter }: Lookup,
  scope: WorkspaceScope,
  at: string,
): Promise<boolean> {
  const pages = queryPages(controlTable, {
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    KeyConditionExpression: '#pk = :pk',
    ...(filter === undefined ? { Limit: 1 } : { FilterExpression: filter }),
    ExpressionAttributeNames: {
      '#pk': index ? `${index}pk` : 'pk',
      ...(filter?.includes('#roles') && { '#roles': 'roles', '#ws': scope.workspaceid }),
    },
    ExpressionAttributeValues: {
      ':pk': partition(scope),
      ...(filter?.includes(':ws') && { ':ws': scope.workspaceid }),
      ...(filter?.includes(':at') && { ':at': at }),
    },
  });
  for await (const items of pages) if (items.length > 0) return true;
  return false;
}
