// The records behind Idempotency-Key: one item per organisation, caller and key. A claim is a conditional put; it becomes a receipt in the very
// transaction that makes the thing, so there is never a thing without its receipt, nor a receipt without its thing.
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { stringOf } from '#lib/aws-errors.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { idempotencyKey } from '../keys.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

interface Found {
  readonly fingerprint: string | undefined;
  /** Undefined while the work goes on. */
  readonly made: unknown;
}

export interface Claim {
  readonly orgid: string;
  /** The id of the API key. */
  readonly callerid: string;
  readonly key: string;
  /** Of the request; another one under the same key is refused. */
  readonly fingerprint: string;
  /** Names this attempt, so that one whose time was up cannot finish in place of its successor. */
  readonly token: string;
  readonly at: string;
}

/** Longer than a function may run, so whoever finds an older claim knows that its function is dead. */
export const claimSeconds = 25;
const receiptSeconds = 86_400;

/** One call. Undefined when the claim is ours, else what is there. */
export async function claim(wanted: Claim): Promise<Found | undefined> {
  const now = Date.parse(wanted.at);
  try {
    await documents.send(
      new PutCommand({
        TableName: TableName(),
        Item: { ...item(wanted), claimed_until: now + claimSeconds * 1_000 },
        // DynamoDB removes expired items only after some time, up to days.
        ConditionExpression:
          'attribute_not_exists(pk) OR #ttl < :seconds OR (attribute_not_exists(made) AND claimed_until < :now)',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':seconds': Math.floor(now / 1_000), ':now': now },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    // The request that has the key is being committed at this moment.
    if (error instanceof TransactionConflictException)
      return { fingerprint: wanted.fingerprint, made: undefined };
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const receipt = stringOf(error.Item, 'made');
    return {
      fingerprint: stringOf(error.Item, 'fingerprint'),
      made: receipt === undefined ? undefined : JSON.parse(receipt),
    };
  }
}

/** The part of a transaction that makes the claim a receipt, with all that is needed to give the same answer again; it fails when the claim is not ours any more. */
export const receipt = (claimed: Claim, made: object): Action => ({
  Put: {
    TableName: TableName(),
    Item: { ...item(claimed), made: JSON.stringify(made) },
    ConditionExpression: '#token = :token AND attribute_not_exists(made)',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':token': claimed.token },
  },
});

/** Gives the key back after a failure, unless the thing was made after all. */
export async function release(claimed: Claim): Promise<void> {
  await documents.send(
    new DeleteCommand({
      TableName: TableName(),
      Key: idempotencyKey(claimed),
      ConditionExpression: '#token = :token AND attribute_not_exists(made)',
      ExpressionAttributeNames: { '#token': 'token' },
      ExpressionAttributeValues: { ':token': claimed.token },
    }),
  );
}

const item = (claimed: Claim) => ({
  ...idempotencyKey(claimed),
  fingerprint: claimed.fingerprint,
  token: claimed.token,
  ttl: Math.floor(Date.parse(claimed.at) / 1_000) + receiptSeconds,
});
