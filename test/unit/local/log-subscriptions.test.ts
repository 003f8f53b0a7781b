// Subscriptions of log groups end to end: what a function prints reaches the function that wants it, and what
// that cannot take is tried again and set aside. No test sleeps: flushDelayedMessages makes waiting retries
// due.
import { channel } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { awsJson } from '#lib/local/aws-json.ts';
import { type Host, startHost } from '#lib/local/host.ts';
import type { Template } from '#lib/local/template.ts';
import { loggingFn, queue, subscription } from './fixtures/template.ts';

type LogsEvent = { readonly logGroup: string; readonly logEvents: readonly { readonly message: string }[] };

const functions = {
  ...loggingFn('One', 'printer'),
  ...loggingFn('Two', 'printer'),
  ...loggingFn('Unheard', 'printer'),
  ...loggingFn('Collector', 'collector'),
  FromOne: subscription('OneLogs', 'Collector'),
  FromTwo: subscription('TwoLogs', 'Collector'),
};
const template: Template = {
  Resources: {
    ...functions,
    Dead: queue(),
    Retries: {
      Type: 'AWS::Lambda::EventInvokeConfig',
      Properties: {
        FunctionName: { Ref: 'Collector' },
        Qualifier: '$LATEST',
        MaximumRetryAttempts: 1,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Dead', 'Arn'] } } },
      },
    },
  },
};

let host: Host;
let deliveries: LogsEvent[] = [];
let printed: string[] = [];
const { write } = process.stdout;
const record = (delivery: unknown) => void deliveries.push(delivery as LogsEvent);
beforeAll(async () => {
  Object.assign(process.stdout, { write: (chunk: string) => printed.push(chunk) > 0 });
  host = await startHost({ template, dataDir: undefined, port: 0 });
  channel('fixture:lines').subscribe(record);
});
beforeEach(() => {
  deliveries = [];
  printed = [];
});
afterEach(() => host.idle());
afterAll(async () => {
  channel('fixture:lines').unsubscribe(record);
  await host.close();
  Object.assign(process.stdout, { write });
});

const kept = (id: string) => JSON.stringify({ kept: { id } });
const print = (name: string, ...lines: readonly string[]) => host.invoke(name, { lines });
const messages = () => deliveries.flatMap(({ logEvents }) => logEvents.map(({ message }) => message));

test('matching lines are delivered in order, as by CloudWatch Logs, and are not printed', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => kept(`line ${n}`));
  await print('One', ...lines);
  await host.idle();
  expect(messages()).toEqual(lines);
  expect(deliveries[0]).toEqual({
    messageType: 'DATA_MESSAGE',
    owner: '000000000000',
    logGroup: 'OneLogs',
    logStream: 'local',
    subscriptionFilters: ['kept'],
    logEvents: expect.arrayContaining([
      { id: expect.stringMatching(/^\d{56}$/), timestamp: expect.any(Number), message: lines[0] },
    ]),
  });
  expect(printed.join('')).not.toContain('line');
});

test('lines that are logged during a delivery are delivered together', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => print('One', kept(`${n}`))));
  await host.idle();
  expect(messages()).toHaveLength(20);
  expect(deliveries.length).toBeLessThan(20);
});

test('a delivery has lines of one log group', async () => {
  await Promise.all([print('One', kept('a'), kept('b')), print('Two', kept('c'), kept('d'))]);
  await host.idle();
  expect(messages().toSorted()).toEqual(['a', 'b', 'c', 'd'].map(kept));
  expect(new Set(deliveries.map(({ logGroup }) => logGroup))).toEqual(new Set(['OneLogs', 'TwoLogs']));
});

test('other lines, and those of functions without a subscription, are printed', async () => {
  const others = [
    '{"kept":"no object"}',
    '{"kept":{"id":1}}',
    '{"kept":{}}',
    'kept',
    '{"kept":',
    '{"id":"x"}',
  ];
  await print('One', ...others);
  await print('Unheard', kept('unheard'));
  await host.idle();
  expect(deliveries).toEqual([]);
  expect(printed.join('')).toBe([...others, kept('unheard')].map((line) => `${line}\n`).join(''));
});

test('lines of the destination are not delivered to itself', async () => {
  await print('One', kept('once'));
  await host.idle();
  expect(messages()).toEqual([kept('once')]);
  expect(printed.join('')).toBe(`${kept('own')}\n`);
});

test('a delivery that fails is retried, does not delay others, and is stored as failed after its last attempt', async () => {
  await print('One', kept('refused'));
  await host.idle();
  await print('One', kept('fine'));
  await host.idle();
  expect(messages()).toEqual(['refused', 'fine'].map(kept));
  host.flushDelayedMessages();
  await host.idle();
  host.flushDelayedMessages();
  await host.idle();
  expect(messages()).toEqual(['refused', 'fine', 'refused'].map(kept));
  const QueueUrl = host.queues.Dead?.url;
  const { Messages } = await awsJson(host.endpoints.sqs, 'AmazonSQS.ReceiveMessage', { QueueUrl });
  const body: unknown = JSON.parse(Object(Messages)[0].Body);
  expect(body).toMatchObject({
    requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 2 },
    requestPayload: { awslogs: { data: expect.any(String) } },
    responsePayload: { errorMessage: expect.stringContaining('Lines are refused.') },
  });
});

test.each<[string, Template['Resources'], string]>([
  [
    'a filter pattern of another form',
    { ...functions, FromOne: subscription('OneLogs', 'Collector', { FilterPattern: 'ERROR' }) },
    'The filter pattern ERROR is not supported here',
  ],
  [
    'a destination that is no function',
    { ...functions, FromOne: subscription('OneLogs', 'Collector', { DestinationArn: 'arn:aws:kinesis:x' }) },
    'only functions can be destinations',
  ],
  [
    'a destination that is not there',
    { ...functions, FromOne: subscription('OneLogs', 'Collector', { DestinationArn: 'arn:aws:lambda:x' }) },
    'the template has no function "arn:aws:lambda:x"',
  ],
])('%s stops the start', async (_name, Resources, message) => {
  await expect(startHost({ template: { Resources }, dataDir: undefined, port: 0 })).rejects.toThrow(message);
});
