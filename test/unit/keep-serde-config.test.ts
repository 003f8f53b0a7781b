import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ConditionalCheckFailedException, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepSerdeConfig } from '#lib/aws.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

const bytes = new Uint8Array([0, 255, 1]);
const refusal = {
  __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
  message: 'The conditional request failed',
  Item: { pk: { S: 'a' }, body: { B: Buffer.from(bytes).toString('base64') } },
};
const bodies: string[] = [];
/** Answers with the item, or refuses a put that has a condition. */
const server = createServer(async (request, response) => {
  const body = await text(request);
  bodies.push(body);
  const { Item, ConditionExpression } = JSON.parse(body);
  response.writeHead(ConditionExpression ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(ConditionExpression ? refusal : { Attributes: Item }));
});
let endpoint = '';
beforeAll(async () => {
  endpoint = await listen(server, 0);
});
afterAll(() => closeServer(server));

const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
const newClient = () => new DynamoDBClient({ region: 'us-east-1', endpoint, credentials });
const put = { TableName: 't', Item: { pk: { S: 'é' }, body: { B: bytes }, n: { N: '1' } } };

test('replaces the steps of the SDK, and adds none', () => {
  const names = keepSerdeConfig(newClient()).middlewareStack.identify();
  expect(names).toEqual(newClient().middlewareStack.identify());
});

test('writes the same request, and reads the same answer', async () => {
  bodies.length = 0;
  const [changed, plain] = [keepSerdeConfig(newClient()), newClient()];
  const [ours, theirs] = [
    await changed.send(new PutItemCommand(put)),
    await plain.send(new PutItemCommand(put)),
  ];
  expect(ours).toEqual(theirs);
  expect(ours.Attributes).toEqual(put.Item);
  expect(new Set(bodies).size).toBe(1);
});

test('reads a refusal as the error of the SDK, with the item that it brings', async () => {
  const command = new PutItemCommand({ ...put, ConditionExpression: 'attribute_not_exists(pk)' });
  const error: unknown = await keepSerdeConfig(newClient())
    .send(command)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConditionalCheckFailedException);
  expect(error).toMatchObject({ name: 'ConditionalCheckFailedException', Item: { body: { B: bytes } } });
});
