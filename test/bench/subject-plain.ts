// The least that does what a trigger does, as a subject: a bare HTTP server with the engines that the local
// host embeds. `/trigger` writes one item and answers; `/event` sends a message and answers, and sqs-consumer
// then writes one item for each message; `/idle` waits for those.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { accountId } from '#lib/local/account.ts';
import { startDynamoDb } from '#lib/local/dynamodb.ts';
import { enter, functionEnvironment } from '#lib/local/lambda-environment.ts';
import { listen } from '#lib/local/listen.ts';
import { startSqs } from '#lib/local/sqs.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { startConsumers } from './consumers.ts';
import { createWaiting } from './waiting.ts';

const [engine, queues] = await Promise.all([startDynamoDb(undefined), startSqs(undefined)]);
enter(
  functionEnvironment(
    [],
    { dynamodb: engine.endpoint, sqs: queues.endpoint, kms: '', s3: '', lambda: '' },
    {},
  ),
);
await queues.createQueue('events', {});
await engine.createTable({
  name: 'runs',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
});

const dynamodb = new DynamoDBClient({});
const sqs = new SQSClient({});
const QueueUrl = `${queues.endpoint}/${accountId}/events`;
const waiting = createWaiting();

const write = async (body: string) => {
  const Item = { pk: { S: crypto.randomUUID() }, body: { S: body } };
  await dynamodb.send(new PutItemCommand({ TableName: 'runs', Item }));
};
const places: Readonly<Record<string, (body: string) => Promise<unknown>>> = {
  '/trigger': write,
  '/event': async (body) => {
    waiting.begin();
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
  },
  '/idle': async () => await waiting.idle(),
};

await startConsumers(QueueUrl, 10, async ({ Body }) => {
  await write(Body);
  waiting.finish();
});

const server = createServer(async (request, response) => {
  await places[request.url ?? '']?.(await text(request));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
answer({ cpu: cpuMicros });
sayReady({ baseUrl: await listen(server, 0) }, async () => {
  await Promise.all([engine.close(), queues.close()]);
});
