// Runs that wait for a connection are resumed once it is stored. Each pause puts an item under the
// connection, in the transaction of the pause. The item is a hint and names the one connection that is
// checked first; the run itself says whether it still waits. Whoever stores a connection looks for runs that
// wait; a run that pauses checks once more for its connection. As both write before they read, one of them
// sees the other.
import * as z from 'zod';
import type { ConnectionOwner } from '#lib/connection/connection.ts';
import { connectionKey } from '#lib/connection/connection-key.ts';
import { batchDelete } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import { findMissing } from './missing-connections.ts';
import type { RunNeeds } from './run-needs.ts';
import type { StoredRun } from './stored-run.ts';

/** A connection of an organisation, or of one user, whose connection resumes no run of another user. */
export interface AwaitedConnection extends ConnectionOwner {
  readonly scope: ConnectionScope;
  readonly name: string;
}

const pageSize = 100;
/** 10,000 runs, some seconds. Those beyond are resumed when the connection is stored again, or by hand. */
const pagesMax = 100;

/**
 * Call it once the value is stored. If it fails, storing the connection again resumes those that are left.
 * One read where no run waits.
 */
export async function wakeWaiting(connection: AwaitedConnection): Promise<void> {
  let after = ' ';
  for (let page = 0; page < pagesMax; page += 1) {
    const items = await queryWaiting(connection, after, pageSize);
    const last = items.at(-1);
    if (!last) return;
    const { enqueueWakes } = await import('./run-queue.ts');
    await enqueueWakes(items.map(({ run_id }) => ({ ...connection, run_id })));
    await deleteWaiting(items);
    if (items.length < pageSize) return;
    after = last.sk;
  }
}

/**
 * Call it once the pause is stored: for a value that was stored after the run had looked for it, and before
 * its item could be found.
 */
export async function wakeIfStored(run: StoredRun, { connections: [first] }: RunNeeds): Promise<void> {
  if (!first) return;
  const { connection, ...declaration } = first;
  if ((await findMissing(run, { [connection]: declaration })).length > 0) return;
  const { enqueueWakes } = await import('./run-queue.ts');
  await enqueueWakes([run]);
}

function partition({ scope, name, ...owner }: AwaitedConnection): string {
  const { pk, sk } = connectionKey(owner, scope, name);
  return `NEEDS#${pk.slice('CONN#'.length)}#${sk}`;
}

type PausedRun = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid' | 'caller_id' | 'ttl'>;

/**
 * A runner pauses once, so its lease distinguishes the pauses of a run: deleting the item of one deletes that
 * of no later one.
 */
export const toWaitingItem = (
  { run_id, orgid, workspaceid, caller_id: user, ttl }: PausedRun,
  lease: string,
  { connection: name, scope }: { readonly connection: string; readonly scope: ConnectionScope },
) => ({
  pk: partition({ orgid, workspaceid, user, scope, name }),
  sk: `${run_id}#${lease}`,
  run_id,
  ttl,
});

const waitingItem = z.object({ pk: z.string(), sk: z.string(), run_id: z.string() });
type WaitingItem = z.infer<typeof waitingItem>;

/**
 * The items after a sort key, fewer than `limit` only where there are no more. The read is consistent, so
 * that whoever stores a connection sees all runs that were paused before. Items that nobody asks for expire
 * with their run.
 */
export async function queryWaiting(
  connection: AwaitedConnection,
  after: string,
  limit: number,
): Promise<WaitingItem[]> {
  const items = await queryFirst(
    runsTable,
    {
      KeyConditionExpression: 'pk = :pk AND sk > :after',
      ExpressionAttributeValues: { ':pk': partition(connection), ':after': after },
      ConsistentRead: true,
    },
    limit,
  );
  return z.array(waitingItem).parse(items);
}

export async function deleteWaiting(items: readonly WaitingItem[]): Promise<void> {
  await batchDelete(
    runsTable,
    items.map(({ pk, sk }) => ({ pk, sk })),
  );
}
