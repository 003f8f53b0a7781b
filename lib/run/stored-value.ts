// The items of values that outlive a run: those of `store` nodes, and conversations. All values of a flow in an
// environment are in one partition, so a query lists them and nothing else.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { type Condition, readString } from '#lib/dynamo/conditions.ts';
import { claimItem, deleteItemIf, getItem, type Key } from '#lib/dynamo/items.ts';
import type { StoredValue, StoreKey, StoreWrite } from '#lib/flow/ports/store.ts';
import { json } from '#lib/json/json.ts';
import type { StoredRun } from './stored-run.ts';

/** Whose values: those of a flow in an environment. */
export type ValueOwner = Pick<StoredRun, 'orgid' | 'workspaceid' | 'flowid' | 'environment'>;

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
  const found = await getItem(runsTable, itemKey(owner, key));
  if (!found) return undefined;
  const { content, version, ttl } = item.parse(found);
  if (ttl * 1000 <= now) return undefined;
  const plain = await decryptCallerData(attributeKey(owner, key), content);
  return { value: json.parse(JSON.parse(plain)), version };
}

/** The new version; undefined if the item has another version than the write expects. */
export async function writeValue(
  owner: ValueOwner,
  write: StoreWrite,
  now: number,
): Promise<string | undefined> {
  const { value, ifVersion, writer, keepDays } = write;
  if (value === undefined) return await deleteValue(owner, write, now);
  const version = createHash('sha256').update(writer).digest('base64url').slice(0, 22);
  const written = {
    ...itemKey(owner, write),
    content: await encryptCallerData(attributeKey(owner, write), JSON.stringify(value)),
    version,
    updated_at: new Date(now).toISOString(),
    ttl: Math.ceil(now / 1000) + keepDays * 86_400,
  };
  const other = await claimItem(runsTable, written, versionCondition(ifVersion, now));
  return other === undefined || readString(other, 'version') === version ? version : undefined;
}

/** A value that is not there any more was deleted, perhaps by an earlier attempt. */
async function deleteValue(
  owner: ValueOwner,
  { ifVersion, ...key }: StoreWrite,
  now: number,
): Promise<string | undefined> {
  const condition =
    ifVersion == null
      ? versionCondition(ifVersion, now)
      : {
          ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
          ExpressionAttributeValues: { ':version': ifVersion },
        };
  return (await deleteItemIf(runsTable, itemKey(owner, key), condition)) ? '' : undefined;
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

const spaces: Readonly<Record<StoreKey['space'], string>> = {
  value: 'VALUE',
  conversation: 'TALK',
  context: 'CONTEXT',
};

const itemKey = ({ orgid, workspaceid, flowid, environment }: ValueOwner, { space, key }: StoreKey): Key => ({
  pk: `MEMORY#${orgid}#${workspaceid}#${flowid}#${environment}`,
  sk: `${spaces[space]}#${key}`,
});

const attributeKey = (owner: ValueOwner, key: StoreKey): AttributeKey => ({
  orgid: owner.orgid,
  workspaceid: owner.workspaceid,
  ...itemKey(owner, key),
  attribute: 'content',
});
