import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpointStep, isDocumentCommand, prepareCommands } from '#lib/dynamo/prepared-commands.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
/** Answers with what it was sent. */
const server = createServer(async (request, response) => {
  const sent: { Item?: object; Key?: object } = Object(await json(request));
  const found = request.headers['x-amz-target']?.toString().endsWith('GetItem') && { Item: sent.Key };
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify(found || { Attributes: sent.Item ?? sent.Key }));
});
let endpoint = '';
beforeAll(async () => {
  endpoint = await listen(server, 0);
});
afterAll(() => closeServer(server));

const newClient = () =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1', endpoint, credentials }));

// Both would bring back unseen what is prepared, if an update of the SDK renamed a member or the step.
test('a command has the members that are prepared', () => {
  expect(isDocumentCommand(new PutCommand({ TableName: 't', Item: {} }))).toBe(true);
});

test('the endpoint is searched in the step that is replaced', () => {
  const { middlewareStack, config } = newClient();
  const names: string[] = [];
  const concat = (own: typeof middlewareStack) => {
    const whole = middlewareStack.concat(own);
    names.push(...whole.identify());
    return whole;
  };
  const command: object = new GetCommand({ TableName: 't', Key: {} });
  if (!isDocumentCommand(command)) throw new Error('Expected the members of a document command.');
  command.clientCommand.resolveMiddleware(
    Object.assign(middlewareStack.clone(), { concat }),
    config,
    undefined,
  );
  expect(names.filter((name) => name.startsWith(endpointStep))).toHaveLength(1);
});

test('each call sends its own values, also beside others of its kind', async () => {
  const client = prepareCommands(newClient());
  const put = async (n: number) => {
    const command = new PutCommand({ TableName: 't', Item: { pk: `${n}`, n } });
    return (await client.send(command)).Attributes;
  };
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  for (const _ of ['the endpoint is not known', 'it is known'])
    expect(await Promise.all(numbers.map(put))).toEqual(numbers.map((n) => ({ pk: `${n}`, n })));
});

test('each kind of command is answered in its own form', async () => {
  const client = prepareCommands(newClient());
  const Key = { pk: 'a', sk: 1 };
  for (const _ of ['first', 'second']) {
    expect((await client.send(new GetCommand({ TableName: 't', Key }))).Item).toEqual(Key);
    expect((await client.send(new UpdateCommand({ TableName: 't', Key }))).Attributes).toEqual(Key);
  }
});

test('a call with a signal is aborted by it', async () => {
  const client = prepareCommands(newClient());
  const call = client.send(new GetCommand({ TableName: 't', Key: { pk: 'a' } }), {
    abortSignal: AbortSignal.abort(),
  });
  await expect(call).rejects.toThrow('aborted');
});
