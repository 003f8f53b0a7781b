// The two DynamoDB clients that all stores share: one pool of connections each, so that a cold start shakes hands once and not per store;
// and batches, whose rest has to be sent again.
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { clientConfig, hastyClientConfig } from './aws.ts';

const marshallOptions = { removeUndefinedValues: true };

export const documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig), { marshallOptions });
/** For calls beside the request's own, which it must not wait long for. */
export const hastyDocuments = DynamoDBDocumentClient.from(new DynamoDBClient(hastyClientConfig), {
  marshallOptions,
});

type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>;

/** DynamoDB may leave part of a batch undone; that part is sent again, a few times, and then it is a failure. */
export async function writeBatch(TableName: string, requests: Requests[string]): Promise<void> {
  let pending: Requests = { [TableName]: requests };
  for (let tries = 1; tries <= batchTriesMax; tries += 1) {
    const { UnprocessedItems = {} } = await documents.send(new BatchWriteCommand({ RequestItems: pending }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    pending = UnprocessedItems;
    await setTimeout(Math.random() * 20 * 2 ** tries);
  }
  throw Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
}

const batchTriesMax = 7;
