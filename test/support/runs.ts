// What tests ask about runs and their queue, beside what the API tells: messages put in by hand, dead
// letters, leases that run out.
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { decryptBody } from '#lib/dead-letter/encrypted-letter.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { isFailedCondition } from '#lib/dynamo/conditions.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { requireEnv } from '#lib/env.ts';
import { newRunId } from '#lib/ids.ts';
import { storedDeadLetter } from '#lib/run/dead-letter.ts';
import type { WebhookMessage } from '#lib/run/run-queue.ts';
import { type StartKey, startKeyItem } from '#lib/trigger/start-key-items.ts';
import { unique } from './caller.ts';
import { idle } from './control.ts';
import type { TestAgent } from './flows.ts';

const sqs = new SQSClient();
const table = DynamoDBDocumentClient.from(new DynamoDBClient());

export const webhookMessage = (agent: TestAgent, some: Partial<WebhookMessage> = {}): WebhookMessage => ({
  kind: 'webhook',
  triggerId: newRunId(),
  orgid: agent.orgid,
  workspaceid: agent.workspaceid,
  flowid: agent.flowid,
  caller: { id: agent.id, orgid: agent.orgid },
  event: { event: 'test' },
  accepted_at: new Date().toISOString(),
  ...some,
});

/** The event of one batch, as the worker gets it. */
export const batch = (bodies: readonly string[], receiveCount = 1) => ({
  Records: bodies.map((body, n) => ({
    messageId: `message-${n}`,
    receiptHandle: `handle-${n}`,
    body,
    attributes: { ApproximateReceiveCount: String(receiveCount) },
    messageAttributes: {},
    eventSource: 'aws:sqs',
  })),
});

export async function deliver(body: string): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: requireEnv('RUN_QUEUE_URL'), MessageBody: body }));
}

/**
 * The dead letter that is or holds a text, once all are filed; it is removed. Undefined when there is none.
 */
export async function takeDeadLetter(text: string): Promise<{ body: string; reason: string } | undefined> {
  await idle();
  const TableName = requireEnv('RUNS_TABLE');
  const found: { Key: { pk: unknown; sk: unknown }; body: string; reason: string }[] = [];
  const pages = paginateScan(
    { client: table },
    {
      TableName,
      FilterExpression: 'begins_with(pk, :dead) AND attribute_exists(reason) AND attribute_exists(body)',
      ExpressionAttributeValues: { ':dead': 'DEAD#' },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages)
    for (const { pk, sk, reason, ...item } of Items)
      found.push({
        Key: { pk, sk },
        body: await decryptBody(storedDeadLetter.parse({ ...item, reason })),
        reason: String(reason),
      });
  const letter = found.find(({ body }) => body === text) ?? found.find(({ body }) => body.includes(text));
  if (!letter) return undefined;
  await table.send(new DeleteCommand({ TableName, Key: letter.Key }));
  return { body: letter.body, reason: letter.reason };
}

/** A run queue of its own for what this process sends; nobody works on it. Gone with the block. */
export async function ownQueue() {
  const before = process.env.RUN_QUEUE_URL;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: unique('queue') }));
  // As the local host names its queues: the engine's own name for it does not resolve everywhere.
  const name = QueueUrl?.split('/').at(-1) ?? '';
  process.env.RUN_QUEUE_URL = before?.replace(/[^/]+$/, name);
  const attributes = async () => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: process.env.RUN_QUEUE_URL, AttributeNames: ['All'] }),
    );
    return Attributes;
  };
  return {
    delayed: async () => Number((await attributes()).ApproximateNumberOfMessagesDelayed),
    waiting: async () => Number((await attributes()).ApproximateNumberOfMessages),
    [Symbol.asyncDispose]: async () => {
      process.env.RUN_QUEUE_URL = before;
    },
  };
}

/** As if the clock had passed the end of the lease. */
export const expireLease = (runId: string, database = table, tableName?: string): Promise<void> =>
  setLeaseEnd(runId, 0, database, tableName);

/** Ms since 1970, as if the process that holds the lease had renewed it until then. */
export async function setLeaseEnd(
  runId: string,
  until: number,
  database = table,
  TableName = requireEnv('RUNS_TABLE'),
): Promise<void> {
  await database.send(
    new UpdateCommand({
      TableName,
      Key: { pk: `RUN#${runId}`, sk: 'HEAD' },
      UpdateExpression: 'SET lease_until = :until',
      ExpressionAttributeValues: { ':until': until },
    }),
  );
}

/** As if the clock had passed the time of all permits of an organisation for runs that callers wait for. */
export async function passPermitTimes(orgid: string, database = table): Promise<void> {
  const request = { TableName: requireEnv('RUNS_TABLE'), Key: { pk: `LIMIT#RUNS#${orgid}`, sk: 'SLOTS' } };
  const { Item = {} } = await database.send(new GetCommand({ ...request, ConsistentRead: true }));
  for (const [name, value] of Object.entries(Item).filter(([each]) => each.startsWith('run_'))) {
    const update = new UpdateCommand({
      ...request,
      UpdateExpression: 'SET #run = :past',
      ConditionExpression: 'attribute_exists(#run)',
      ExpressionAttributeNames: { '#run': name },
      ExpressionAttributeValues: { ':past': String(value).replace(/^\d+/, '0') },
    });
    await database.send(update).catch((error: unknown) => {
      if (!isFailedCondition(error)) throw error;
    });
  }
}

/** As if a day had passed since it was sent first. */
export async function expireStartKey(key: StartKey): Promise<void> {
  await table.send(
    new UpdateCommand({
      TableName: requireEnv('RUNS_TABLE'),
      Key: startKeyItem(key),
      UpdateExpression: 'SET #ttl = :past',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':past': 0 },
    }),
  );
}

const pollMs = 10;

/** Asks until it is so; fails after some seconds. */
export async function eventually<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const giveUpAt = Date.now() + 8_000;
  for (;;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (Date.now() > giveUpAt) throw new Error(`Still not so: ${JSON.stringify(value)}`);
    await setTimeout(pollMs);
  }
}

/** The run of a conversation, for a caller who waits and does not know its id yet. */
export async function runOfContext(contextId: string): Promise<string> {
  const pages = paginateScan(
    { client: table },
    {
      TableName: requireEnv('RUNS_TABLE'),
      FilterExpression: 'context_id = :context',
      ExpressionAttributeValues: { ':context': contextId },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) if (Items[0]) return String(Items[0].pk).slice('RUN#'.length);
  throw new Error(`No run has the context ${contextId}.`);
}

/** Everything that is stored of a run. */
export async function runWrites(runId: string): Promise<{ readonly sk: string; readonly ttl?: unknown }[]> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': `RUN#${runId}` },
    ConsistentRead: true,
  });
  return items.map((item) => ({ ...item, sk: String(item.sk) }));
}
