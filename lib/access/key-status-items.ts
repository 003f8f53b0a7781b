// What the check of a key reads of its item and notes there. Every request comes by here, so it knows nothing of how keys are created and listed.
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { hastyDocuments } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
export const itemKey = (id: string) => ({ pk: `KEY#${id}`, sk: 'META' });

/** Also true of the mark of a key that was issued offline and revoked. */
const keyStatus = z.object({ revoked_at: z.string().optional(), last_used_at: z.string().optional() });

export async function readKeyStatus(id: string): Promise<z.infer<typeof keyStatus> | undefined> {
  const { Item } = await hastyDocuments.send(
    new GetCommand({ TableName: TableName(), Key: itemKey(id), ConsistentRead: true }),
  );
  return Item && keyStatus.parse(Item);
}

/** Touches nothing but `last_used_at`, which is all that the permission `keys.note` allows. */
export async function noteUse(id: string, at: string): Promise<void> {
  await hastyDocuments.send(
    new UpdateCommand({
      TableName: TableName(),
      Key: itemKey(id),
      UpdateExpression: 'SET last_used_at = :at',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': at },
    }),
  );
}
