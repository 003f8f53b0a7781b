// The lease on the item of a connection, which lets one process use its refresh token. Conditions name the
// version of the value, so a process never changes a value that was stored in the meantime.
import { controlTable } from '#lib/dynamo/client.ts';
import { putItemIf, updateItemIf } from '#lib/dynamo/items.ts';
import type { ConnectionOwner, StoredConnection } from './connection.ts';
import { connectionKey } from './connection-key.ts';

export interface LeasedValue {
  readonly owner: ConnectionOwner;
  readonly stored: StoredConnection;
  readonly holder: string;
}

/**
 * False when another process holds the lease, when the value was replaced, or when it was refused. The holder
 * may claim again.
 */
export async function claimRefresh(value: LeasedValue, nowMs: number, untilMs: number): Promise<boolean> {
  return await update(value, {
    UpdateExpression: 'SET refresh_holder = :holder, refresh_until = :until',
    ConditionExpression:
      'version = :seen AND attribute_not_exists(refused_at) AND (attribute_not_exists(refresh_until) OR refresh_until < :now OR refresh_holder = :holder)',
    ExpressionAttributeValues: { ':now': nowMs, ':until': untilMs },
  });
}

/**
 * Replaces the value, and so ends the lease. False when the value was replaced or deleted in the meantime.
 */
export async function keepRefreshed(
  { owner, stored }: Pick<LeasedValue, 'owner' | 'stored'>,
  fresh: Pick<StoredConnection, 'version' | 'sealed'>,
): Promise<boolean> {
  const item = { ...connectionKey(owner, stored.scope, stored.name), ...stored, ...fresh };
  return await putItemIf(controlTable, item, {
    ConditionExpression: 'version = :seen',
    ExpressionAttributeValues: { ':seen': stored.version },
  });
}

/** No process tries this value again. False when the lease has expired or the value was replaced. */
export const refuseRefresh = async (value: LeasedValue, at: string): Promise<boolean> =>
  await update(value, {
    UpdateExpression: 'SET refused_at = :at REMOVE refresh_holder, refresh_until',
    ConditionExpression: 'version = :seen AND refresh_holder = :holder',
    ExpressionAttributeValues: { ':at': at },
  });

export const releaseRefresh = async (value: LeasedValue): Promise<boolean> =>
  await update(value, {
    UpdateExpression: 'REMOVE refresh_holder, refresh_until',
    ConditionExpression: 'version = :seen AND refresh_holder = :holder',
  });

interface Change {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

async function update({ owner, stored, holder }: LeasedValue, change: Change): Promise<boolean> {
  const { scope, name, version } = stored;
  return await updateItemIf(controlTable, connectionKey(owner, scope, name), {
    ...change,
    ExpressionAttributeValues: {
      ':seen': version,
      ':holder': holder,
      ...change.ExpressionAttributeValues,
    },
  });
}
