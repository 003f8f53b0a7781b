// Which runs wait for a connection, by the connection: an item for each rest, put by the transaction of the
// rest. It is a hint and names the one connection that is looked for first; the run itself says whether it
// still waits. Items that nobody asked for expire with their run.
import * as z from 'zod';
import type { ConnectionOwner } from '#lib/connection/connection.ts';
import { connectionKey } from '#lib/connection/keys.ts';
import { batchDelete } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import type { StoredRun } from './stored-run.ts';

/** A connection of an organisation, or of one user, who wakes no run of another. */
export interface Awaited extends ConnectionOwner {
  readonly scope: ConnectionScope;
  readonly name: string;
}

function partitionOf({ scope, name, ...place }: Awaited): string {
  const { pk, sk } = connectionKey(place, scope, name);
  return `NEEDS#${pk.slice('CONN#'.length)}#${sk}`;
}

type Rested = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid' | 'caller_id' | 'ttl'>;

/** A runner rests once, so its lease tells the rests of a run apart: forgetting one forgets no later one. */
export const waitingItemOf = (
  { run_id, orgid, workspaceid, caller_id: user, ttl }: Rested,
  lease: string,
  { connection: name, scope }: { readonly connection: string; readonly scope: ConnectionScope },
) => ({
  pk: partitionOf({ orgid, workspaceid, user, scope, name }),
  sk: `${run_id}#${lease}`,
  run_id,
  ttl,
});

const waitingItem = z.object({ pk: z.string(), sk: z.string(), run_id: z.string() });
export type WaitingItem = z.infer<typeof waitingItem>;

/**
 * Behind a sort key, fewer than `limit` only where there are no more; consistent, so that whoever stores a
 * connection sees all that rested before.
 */
export async function queryWaiting(awaited: Awaited, after: string, limit: number): Promise<WaitingItem[]> {
  const items = await queryFirst(
    runsTable,
    {
      KeyConditionExpression: 'pk = :pk AND sk > :after',
      ExpressionAttributeValues: { ':pk': partitionOf(awaited), ':after': after },
      ConsistentRead: true,
    },
    limit,
  );
  return z.array(waitingItem).parse(items);
}

export async function forgetWaiting(items: readonly WaitingItem[]): Promise<void> {
  await batchDelete(
    runsTable,
    items.map(({ pk, sk }) => ({ pk, sk })),
  );
}
