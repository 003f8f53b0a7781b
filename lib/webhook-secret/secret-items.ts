// The items of signing secrets in the control table: one per place, its secrets sealed together, beside what may be shown of them.
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { unlessConditionFails } from '#lib/aws-errors.ts';
import { hastyDocuments } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type SecretPlace, secretEntry } from './signing-secret.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
const itemKey = ({ orgid, workspaceid, flowid }: SecretPlace) => ({
  pk: `SECRET#${orgid}#${workspaceid}`,
  sk: flowid === undefined ? 'CALLBACK' : `WEBHOOK#${flowid}`,
});

const storedSecrets = z.object({
  /** +1 with every change; the condition of the next. */
  version: z.number(),
  entries: z.array(secretEntry),
  /** The texts of the entries, in their order. */
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
});
export type StoredSecrets = z.infer<typeof storedSecrets>;

export async function readSecrets(place: SecretPlace): Promise<StoredSecrets | undefined> {
  const { Item } = await hastyDocuments.send(
    new GetCommand({ TableName: TableName(), Key: itemKey(place), ConsistentRead: true }),
  );
  return Item && storedSecrets.parse(Item);
}

/** False when the secrets are no longer of the version before. */
export async function writeSecrets(place: SecretPlace, secrets: StoredSecrets): Promise<boolean> {
  return await unlessConditionFails(
    hastyDocuments.send(
      new PutCommand({
        TableName: TableName(),
        Item: { ...itemKey(place), ...secrets },
        ConditionExpression: 'attribute_not_exists(pk) OR version = :before',
        ExpressionAttributeValues: { ':before': secrets.version - 1 },
      }),
    ),
  );
}

/** False when there are none. */
export async function deleteSecrets(place: SecretPlace): Promise<boolean> {
  return await unlessConditionFails(
    hastyDocuments.send(
      new DeleteCommand({
        TableName: TableName(),
        Key: itemKey(place),
        ConditionExpression: 'attribute_exists(pk)',
      }),
    ),
  );
}
