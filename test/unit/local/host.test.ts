// The host as a whole: what it starts it also ends, what it stores survives, and what it cannot do it says in
// one line.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { awsJson } from '#lib/local/aws-json.ts';
import { type HostOptions, startHost } from '#lib/local/host.ts';
import { chooseFunctions } from '#lib/local/lambda.ts';
import { closeServer, freePort, listen } from '#lib/local/listen.ts';
import type { Template } from '#lib/local/template.ts';
import { fn, mapping, queue, restApi } from './fixtures/template.ts';

const home = mkdtempSync(join(tmpdir(), 'host-'));
afterAll(() => rmSync(home, { recursive: true }));

const template: Template = {
  Resources: {
    Items: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        AttributeDefinitions: ['pk', 'gsi1pk'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        GlobalSecondaryIndexes: [
          {
            IndexName: 'gsi1',
            KeySchema: [{ AttributeName: 'gsi1pk', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    },
    Global: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        Replicas: [{ Region: { Ref: 'AWS::Region' } }],
      },
    },
    Waiting: queue({ VisibilityTimeout: 77 }),
    Secret: { Type: 'AWS::KMS::Key', Properties: { EnableKeyRotation: true } },
    Alias: {
      Type: 'AWS::KMS::Alias',
      Properties: { AliasName: 'alias/secret', TargetKeyId: { Ref: 'Secret' } },
    },
    Echo: fn('echo', {
      FunctionName: 'echo-function',
      Environment: { Variables: { QUEUE_URL: { Ref: 'Waiting' } } },
    }),
    ...restApi([{ method: 'GET', path: '/', functionId: 'Echo' }]),
  },
  Outputs: {
    Url: {
      Value: { 'Fn::Sub': `https://\${Api}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/\${Stage}/` },
    },
  },
};

const start = (options: Partial<HostOptions> = {}) =>
  startHost({ template, dataDir: undefined, port: 0, ...options });
const dynamodb = (endpoint: string, operation: string, body: object) =>
  awsJson(endpoint, `DynamoDB_20120810.${operation}`, body);
const isReachable = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

test('while its functions are interrupted, the host still has their callers, engines and environment', async () => {
  const seen: boolean[] = [];
  const host = await start({
    interrupt: async () => {
      const { baseUrl, endpoints } = host;
      for (const url of [baseUrl, ...Object.values(endpoints)]) seen.push(await isReachable(url));
      seen.push(process.env.QUEUE_URL !== undefined);
    },
  });
  await host.close();
  expect(seen).toEqual([true, true, true, true, true, true]);
});

test('tables, indexes, time to live, queues and keys are created as in the template', async () => {
  await using host = await disposable(start());
  const { Table } = await dynamodb(host.endpoints.dynamodb, 'DescribeTable', {
    TableName: host.tables.Items,
  });
  expect(Table).toMatchObject({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [{ IndexName: 'gsi1' }] });
  const ttl = await dynamodb(host.endpoints.dynamodb, 'DescribeTimeToLive', { TableName: host.tables.Items });
  expect(ttl.TimeToLiveDescription).toMatchObject({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
  expect(Object.keys(host.tables)).toEqual(['Items', 'Global']);
  const QueueUrl = host.queues.Waiting?.url;
  const { Attributes } = await awsJson(host.endpoints.sqs, 'AmazonSQS.GetQueueAttributes', {
    QueueUrl,
    AttributeNames: ['All'],
  });
  expect(Attributes).toMatchObject({ VisibilityTimeout: '77' });
  const key = await awsJson(host.endpoints.kms, 'TrentService.DescribeKey', { KeyId: 'alias/secret' });
  expect(key.KeyMetadata).toMatchObject({ KeyId: host.keys.Secret?.id });
  expect(host.outputs).toEqual({ Url: `${host.baseUrl}/` });
  expect(host.environment.QUEUE_URL).toBe(QueueUrl);
});

test('a function is invoked by its name and by its logical id', async () => {
  await using host = await disposable(start());
  for (const name of ['echo-function', 'Echo']) {
    expect(await host.invoke(name, { a: 1 })).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('"a":1'),
    });
  }
  await expect(host.invoke('Nobody', {})).rejects.toThrow('There is no function "Nobody"');
});

test('a request that arrives during the start waits for it, and is answered', async () => {
  const port = await freePort();
  let isReady = false;
  const starting = disposable(start({ port })).finally(() => {
    isReady = true;
  });
  const early = await firstAccepted(port);
  expect(isReady).toBe(false);
  early.write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  await using _host = await starting;
  expect(await text(early)).toMatch(/^HTTP\/1\.1 200 /);
});

test('a request to a template without an API is answered', async () => {
  await using host = await disposable(start({ template: { Resources: { Waiting: queue() } } }));
  expect((await fetch(host.baseUrl)).status).toBe(404);
});

test('port 0 means the former port, unless another program uses it', async () => {
  const formerPort = await freePort();
  const first = await start({ formerPort });
  const former = `http://127.0.0.1:${formerPort}`;
  expect(first.baseUrl).toBe(former);
  await first.close();
  const other = createServer();
  await listen(other, formerPort);
  const second = await start({ formerPort });
  expect(second.baseUrl).not.toBe(former);
  await Promise.all([second.close(), closeServer(other)]);
});

test('rows, messages, keys and queue addresses survive a restart', async () => {
  const dataDir = join(home, 'kept');
  const first = await start({ dataDir });
  const item = { pk: { S: 'a' }, n: { N: '1' } };
  await dynamodb(first.endpoints.dynamodb, 'PutItem', { TableName: 'Items', Item: item });
  const QueueUrl = first.queues.Waiting?.url;
  await awsJson(first.endpoints.sqs, 'AmazonSQS.SendMessage', { QueueUrl, MessageBody: 'kept' });
  const sealing = { KeyId: first.keys.Secret?.id, Plaintext: 'AAAA' };
  const { CiphertextBlob } = await awsJson(first.endpoints.kms, 'TrentService.Encrypt', sealing);
  await first.close();

  await using second = await disposable(start({ dataDir }));
  const row = await dynamodb(second.endpoints.dynamodb, 'GetItem', {
    TableName: 'Items',
    Key: { pk: { S: 'a' } },
  });
  expect(row.Item).toEqual(item);
  const named = await awsJson(second.endpoints.sqs, 'AmazonSQS.GetQueueUrl', { QueueName: 'Waiting' });
  expect(named.QueueUrl).toBe(second.queues.Waiting?.url);
  const received = await awsJson(second.endpoints.sqs, 'AmazonSQS.ReceiveMessage', named);
  expect(received.Messages).toMatchObject([{ Body: 'kept' }]);
  const opened = await awsJson(second.endpoints.kms, 'TrentService.Decrypt', { CiphertextBlob });
  expect(opened.Plaintext).toBe('AAAA');
});

test('while it runs, a file configures the AWS command line for the engines', async () => {
  const dataDir = join(home, 'tools');
  const host = await start({ dataDir });
  const printed = execFileSync('/bin/sh', ['-c', '. "$0"; env', join(dataDir, 'aws.env')], {
    env: {},
  }).toString();
  expect(printed).toContain(`AWS_ENDPOINT_URL_DYNAMODB=${host.endpoints.dynamodb}\n`);
  expect(printed).toContain('AWS_REGION=us-east-1\n');
  await host.close();
  expect(existsSync(join(dataDir, 'aws.env'))).toBe(false);
});

test('close stops all listeners and restores the environment', async () => {
  const host = await start({ environment: { EXTRA: 'given', QUEUE_URL: 'mine' } });
  expect([process.env.EXTRA, process.env.QUEUE_URL]).toEqual(['given', 'mine']);
  await host.close();
  const urls = [host.baseUrl, ...Object.values(host.endpoints)];
  expect(await Promise.all(urls.map(isReachable))).toEqual([false, false, false, false, false]);
  expect([process.env.EXTRA, process.env.AWS_ENDPOINT_URL_SQS]).toEqual([undefined, undefined]);
});

describe('a start that fails prints the reason in one line and leaves nothing running', () => {
  test('because the port is in use', async () => {
    await using host = await disposable(start());
    const port = Number(new URL(host.baseUrl).port);
    await expect(start({ port })).rejects.toThrow(
      `Port ${port} is in use: stop the other program, or choose another port with PORT (0 = any).`,
    );
  });

  test('because the data folder is in use', async () => {
    const dataDir = join(home, 'locked');
    await using _host = await disposable(start({ dataDir }));
    await expect(start({ dataDir })).rejects.toThrow(`${dataDir} is in use by another local host`);
  });

  test.each([
    ['rows', 'dynamodb/dynamodb.sqlite', '"npm run reset" deletes it.'],
    ['queues', 'sqs/fauxqs.db', '"npm run reset" deletes them.'],
    ['keys', 'kms/keys.json', '"npm run reset" deletes them.'],
    ['lock', 'lock.sqlite', 'is not a lock file of the local host: delete it.'],
  ])('because the file of the %s is damaged', async (what, path, message) => {
    const dataDir = join(home, `damaged-${what}`);
    mkdirSync(dirname(join(dataDir, path)), { recursive: true });
    writeFileSync(join(dataDir, path), 'not what it was '.repeat(1_000));
    const failure = await start({ dataDir }).catch((error: Error) => error.message);
    expect(failure).toContain(dataDir);
    expect(failure).toContain(message);
  });

  test.each<[string, Template['Resources'], string]>([
    [
      'two functions have different values for a variable',
      {
        One: fn('echo', { Environment: { Variables: { MODE: 'a' } } }),
        Two: fn('echo', { Environment: { Variables: { MODE: 'b' } } }),
      },
      'Functions One and Two have different values for the variable MODE.',
    ],
    [
      'a handler is missing',
      { Fn: fn('template') },
      'template.ts does not export a function named "handler"',
    ],
    [
      'a source file is missing',
      { Fn: fn('absent') },
      'Function Fn cannot be loaded from test/unit/local/fixtures/absent.ts',
    ],
    [
      'an event source has no function here',
      { Q: queue(), Map: mapping('Q', 'Nobody') },
      'there is no resource "Nobody"',
    ],
    [
      'a property has a wrong type',
      { Q: queue({ RedrivePolicy: { maxReceiveCount: 3 } }) },
      'The local host cannot use Q (AWS::SQS::Queue)',
    ],
    [
      'the transfer mode does not fit the invocation',
      {
        Fn: fn('echo'),
        ...restApi([
          { method: 'GET', path: '/', functionId: 'Fn', integration: { ResponseTransferMode: 'STREAM' } },
        ]),
      },
      'ResponseTransferMode does not match the kind of invocation in the Uri',
    ],
  ])('%s', async (_name, Resources, message) => {
    const before = { ...process.env };
    await expect(start({ template: { Resources } })).rejects.toThrow(message);
    expect(process.env).toEqual(before);
  });
});

test('AGENT_FLOW_FUNCTIONS chooses the sources of the functions or their bundles', () => {
  const file = (kind?: string) => chooseFunctions(kind).toFile('functions/trigger/run.ts');
  expect([file(), file('sources')]).toEqual(['functions/trigger/run.ts', 'functions/trigger/run.ts']);
  expect(file('bundles')).toBe('dist/functions/trigger/run/index.mjs');
  expect(() => chooseFunctions('zip')).toThrow('AGENT_FLOW_FUNCTIONS is "zip"; expected sources or bundles.');
});

/** The first connection that the port accepts: no other can come earlier. */
async function firstAccepted(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isAccepted = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isAccepted) return socket;
  }
}

async function disposable<T extends { close: () => Promise<void> }>(starting: Promise<T>) {
  const started = await starting;
  return { ...started, [Symbol.asyncDispose]: started.close };
}
