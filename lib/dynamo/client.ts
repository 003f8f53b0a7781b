// The two DynamoDB clients and the tables that are reached through them, which all stores share.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  clientConfig,
  keepSerdeConfig,
  keepSigner,
  lowLatencyClientConfig,
  unneededMiddleware,
} from '#lib/aws.ts';
import { requireEnv } from '#lib/env.ts';
import { prepareCommands } from './prepared-commands.ts';
import { resendOnConflict } from './retry-on-conflict.ts';

/**
 * Beside what no client needs, a header by which AWS detects functions that call themselves through queues, topics or
 * buckets. Without them a call takes some 50 µs less of 350 (`npm run bench -- --only dynamodb`).
 */
export const unneededByDynamoDb = [...unneededMiddleware, 'recursionDetectionMiddleware'] as const;

/** Retries conflicts around everything that the SDK does for a command, its own retries included. */
function createClient(config: DynamoDBClientConfig): DynamoDBDocumentClient {
  const client = keepSerdeConfig(keepSigner(new DynamoDBClient(config)));
  for (const name of unneededByDynamoDb) client.middlewareStack.remove(name);
  client.middlewareStack.add((next) => (args) => resendOnConflict(() => next(args)), {
    name: 'resendOnConflict',
    step: 'initialize',
    priority: 'high',
  });
  return prepareCommands(
    DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  );
}

export const documents = createClient(clientConfig);
const lowLatencyDocuments = createClient(lowLatencyClientConfig);

/** A table, and the client to reach it through. */
export interface Table {
  readonly variable: 'CONTROL_TABLE' | 'RUNS_TABLE';
  readonly client: DynamoDBDocumentClient;
}

export const controlTable: Table = { variable: 'CONTROL_TABLE', client: documents };
export const runsTable: Table = { variable: 'RUNS_TABLE', client: documents };

/** The same tables for calls that a request must not wait long for, such as the check of its credential. */
export const lowLatencyControlTable: Table = { variable: 'CONTROL_TABLE', client: lowLatencyDocuments };
export const lowLatencyRunsTable: Table = { variable: 'RUNS_TABLE', client: lowLatencyDocuments };

export const tableName = ({ variable }: Table): string => requireEnv(variable);
