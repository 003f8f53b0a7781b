// One write by our client, and the same by a document client as one makes it, in one process and in turns.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from '#lib/local/dynamodb.ts';
import { enter, functionEnvironment } from '#lib/local/lambda-environment.ts';
import { answer, sayReady } from './answering.ts';
import { cpuMicros, warmUp } from './measure.ts';

const engine = await startDynamoDb(undefined);
enter(functionEnvironment([], { dynamodb: engine.endpoint, sqs: '', kms: '', s3: '', lambda: '' }, {}));
await engine.createTable({
  name: 'runs',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
});

const { documents } = await import('#lib/dynamo/client.ts');
const plain = DynamoDBDocumentClient.from(new DynamoDBClient());

const write: UpdateCommandInput = {
  TableName: 'runs',
  Key: { pk: 'RUN#run_1' },
  UpdateExpression: 'SET #status = :status, updated_at = :now ADD version :one',
  ConditionExpression: 'attribute_not_exists(ended) OR ended = :no',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':status': 'running', ':now': 1_790_000_000_000, ':one': 1, ':no': false },
  ReturnValues: 'ALL_NEW',
};
const byOurs = () => documents.send(new UpdateCommand(write));
const byPlain = () => plain.send(new UpdateCommand(write));

const turns = 1_000;

async function cost(): Promise<Record<'ours' | 'bare', number>> {
  const sums = { ours: 0, bare: 0 };
  for (let n = 0; n < turns; n += 1) {
    sums.ours += await cpuMicros(byOurs);
    sums.bare += await cpuMicros(byPlain);
  }
  return { ours: sums.ours / turns, bare: sums.bare / turns };
}

await warmUp(async () => {
  await byOurs();
  await byPlain();
}, 3_000);
answer({ cost });
sayReady({}, async () => await engine.close());
