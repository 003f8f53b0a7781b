// The two DynamoDB clients that all stores share: one pool of connections each, so that a cold start shakes hands once and not per store.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientConfig, hastyClientConfig } from './aws.ts';

const marshallOptions = { removeUndefinedValues: true };

export const documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig), { marshallOptions });
/** For calls beside the request's own, which it must not wait long for. */
export const hastyDocuments = DynamoDBDocumentClient.from(new DynamoDBClient(hastyClientConfig), {
  marshallOptions,
});
