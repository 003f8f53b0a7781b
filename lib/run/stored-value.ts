// Reads and writes values that outlive a run: those of `store` nodes, and conversations. What they hold is encrypted.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { type Condition, readString } from '#lib/dynamo/conditions.ts';
import { claimItem, deleteItemIf, getItem } from '#lib/dynamo/items.ts';
import type { StoredValue, StoreKey, StoreWrite } from '#lib/flow/ports/store.ts';
import { json } from '#lib/json/json.ts';
import { type ValueOwner, valueKey } from './stored-value-items.ts';

const item = z.object({
  /** JSON, encrypted as what callers send. */
  content: z.instanceof(Uint8Array),
  version: z.string(),
  updated_at: z.string(),
  /** Seconds since 1970. DynamoDB removes the item some time later, so readers compare it too. */
  ttl: z.number(),
});

export async function readValue(
  owner: ValueOwner,
  key: StoreKey,
  now: number,
): Promise<StoredValue | undefined> {
  const found = await getItem(runsTable, valueKey(owner, key));
  if (!found) return undefined;
  const { content, version, ttl } = item.parse(found);
  if (ttl * 1000 <= now) return undefined;
  const plain = await decryptCallerData(attributeKey(owner, key), content);
  return { value: json.parse(JSON.parse(plain)), version };
}

/** Whose conversation it is, for those who list and delete what is stored; of a conversation in an A2A context. */
export interface ConversationContext {
  readonly context_id?: string;
  readonly created_by?: string;
}

/** The new version; undefined if the item has another version than the write expects. */
export async function writeValue(
  owner: ValueOwner,
  write: StoreWrite & ConversationContext,
  now: number,
): Promise<string | undefined> {
  const { value, ifVersion, writer, keepDays, context_id, created_by } = write;
  if (value === undefined) return await deleteValue(owner, write, now);
  const version = createHash('sha256').update(writer).digest('base64url').slice(0, 22);
  const written = {
    ...valueKey(owner, write),
    content: await encryptCallerData(attributeKey(owner, write), JSON.stringify(value)),
    version,
    ...(context_id !== undefined && { context_id }),
    ...(created_by !== undefined && { created_by }),
    updated_at: new Date(now).toISOString(),
    ttl: Math.ceil(now / 1000) + keepDays * 86_400,
  };
  const other = await claimItem(runsTable, written, versionCondition(ifVersion, now));
  return other === undefined || readString(other, 'version') === version ? version : undefined;
}

/** A value that is not there any more was deleted, perhaps by an earlier attempt. */
async function deleteValue(
  owner: ValueOwner,
  { ifVersion, space, key }: StoreWrite,
  now: number,
): Promise<string | undefined> {
  const condition =
    ifVersion == null
      ? versionCondition(ifVersion, now)
      : {
          ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
          ExpressionAttributeValues: { ':version': ifVersion },
        };
  return (await deleteItemIf(runsTable, valueKey(owner, { space, key }), condition)) ? '' : undefined;
}

function versionCondition(ifVersion: string | null | undefined, now: number): Partial<Condition> {
  if (ifVersion === undefined) return {};
  if (ifVersion === null)
    return {
      ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':now': Math.floor(now / 1000) },
    };
  return {
    ConditionExpression: 'version = :version',
    ExpressionAttributeValues: { ':version': ifVersion },
  };
}

const attributeKey = (owner: ValueOwner, key: StoreKey): AttributeKey => ({
  orgid: owner.orgid,
  workspaceid: owner.workspaceid,
  ...valueKey(owner, key),
  attribute: 'content',
});
