// SQS event sources end to end: messages sent with the real SDK client reach the function, and what fails
// comes back or ends in the dead-letter queue. No test sleeps: flushDelayedMessages makes waiting messages
// due.
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Host, startHost } from '#lib/local/host.ts';
import { fn, mapping, queue } from './fixtures/template.ts';

type SqsEvent = { readonly Records: readonly { readonly body: string; readonly messageId: string }[] };

const redrive = (target: string) => ({
  VisibilityTimeout: 600,
  RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [target, 'Arn'] }, maxReceiveCount: 2 },
});
const template = {
  Resources: {
    Dead: queue({ MessageRetentionPeriod: 1209600 }),
    Work: queue(redrive('Dead')),
    Whole: queue(redrive('Dead')),
    Narrow: queue(),
    Off: queue(),
    Worker: fn('worker'),
    Map: mapping('Work', 'Worker', { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] }),
    WholeMap: mapping('Whole', 'Worker'),
    NarrowMap: mapping('Narrow', 'Worker', { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } }),
    OffMap: mapping('Off', 'Worker', { Enabled: false }),
  },
};

let host: Host;
let client: SQSClient;
let events: SqsEvent[] = [];
const record = (event: unknown) => void events.push(event as SqsEvent);
beforeAll(async () => {
  host = await startHost({ template, dataDir: undefined, port: 0 });
  client = new SQSClient({});
  channel('fixture:message').subscribe(record);
});
beforeEach(() => {
  events = [];
});
afterEach(() => host.idle());
afterAll(async () => {
  channel('fixture:message').unsubscribe(record);
  client.destroy();
  await host.close();
});

const url = (id: string) => host.queues[id]?.url ?? '';
const send = (id: string, body: string, more: object = {}) =>
  client.send(new SendMessageCommand({ QueueUrl: url(id), MessageBody: body, ...more }));
const bodies = () => events.flatMap(({ Records }) => Records.map(({ body }) => body));
const take = async (id: string) => {
  const command = new ReceiveMessageCommand({
    QueueUrl: url(id),
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 0,
  });
  return ((await client.send(command)).Messages ?? []).map(({ Body }) => Body);
};
const count = async (
  id: string,
  attribute: 'ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible',
) => {
  const command = new GetQueueAttributesCommand({ QueueUrl: url(id), AttributeNames: [attribute] });
  return (await client.send(command)).Attributes?.[attribute];
};

test('a message invokes the function with an SQS event of Lambda, and is deleted when it was processed', async () => {
  const MessageAttributes = { kind: { DataType: 'String', StringValue: 'order' } };
  const { MessageId, MD5OfMessageBody } = await send('Work', 'hello', {
    MessageAttributes,
    MessageGroupId: 'ws-1',
  });
  await host.idle();
  expect(events).toEqual([
    {
      Records: [
        {
          messageId: MessageId,
          receiptHandle: expect.any(String),
          body: 'hello',
          attributes: {
            ApproximateReceiveCount: '1',
            SentTimestamp: expect.stringMatching(/^\d{13}$/),
            SenderId: '000000000000',
            ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
          },
          messageAttributes: {
            kind: { stringValue: 'order', stringListValues: [], binaryListValues: [], dataType: 'String' },
          },
          md5OfBody: MD5OfMessageBody,
          eventSource: 'aws:sqs',
          eventSourceARN: host.queues.Work?.arn,
          awsRegion: 'us-east-1',
        },
      ],
    },
  ]);
  expect(await count('Work', 'ApproximateNumberOfMessagesNotVisible')).toBe('0');
});

describe('of a batch', () => {
  test('only messages that are reported as failed are delivered again, and moved to the dead-letter queue after maxReceiveCount', async () => {
    const all = ['one', 'fail', 'two', 'three'];
    await Promise.all(all.map((body) => send('Work', body, { DelaySeconds: 900 })));
    host.flushDelayedMessages();
    await host.idle();
    expect(bodies().toSorted()).toEqual(all.toSorted());
    expect(await count('Work', 'ApproximateNumberOfMessagesNotVisible')).toBe('1');
    host.flushDelayedMessages();
    await host.idle();
    expect(bodies().toSorted()).toEqual([...all, 'fail'].toSorted());
    host.flushDelayedMessages();
    await host.idle();
    expect(bodies()).toHaveLength(5);
    expect(await take('Dead')).toEqual(['fail']);
  });

  test('every message is delivered again if the function throws', async () => {
    await Promise.all([
      send('Whole', 'throw', { DelaySeconds: 900 }),
      send('Whole', 'innocent', { DelaySeconds: 900 }),
    ]);
    host.flushDelayedMessages();
    await host.idle();
    const throwing = events.find(({ Records }) => Records.some(({ body }) => body === 'throw'));
    expect(await count('Whole', 'ApproximateNumberOfMessagesNotVisible')).toBe(
      String(throwing?.Records.length),
    );
  });

  test('every message is delivered again if the report names an unknown message', async () => {
    await send('Work', 'nonsense');
    await host.idle();
    expect(await count('Work', 'ApproximateNumberOfMessagesNotVisible')).toBe('1');
  });

  test('the report is ignored unless the mapping enables it', async () => {
    await send('Narrow', 'fail');
    await host.idle();
    expect(await count('Narrow', 'ApproximateNumberOfMessagesNotVisible')).toBe('0');
  });
});

test('at most as many invocations run concurrently as the mapping allows', async () => {
  const seen = channel('fixture:message');
  const two = Promise.withResolvers<void>();
  const countTwo = () => events.length === 2 && two.resolve();
  seen.subscribe(countTwo);
  await Promise.all(['hold', 'hold', 'hold'].map((body) => send('Narrow', body)));
  await two.promise;
  seen.unsubscribe(countTwo);
  expect(await count('Narrow', 'ApproximateNumberOfMessages')).toBe('1');
  channel('fixture:release').publish({});
  // The third begins to wait only after it was released to the others.
  const third = Promise.withResolvers<void>();
  seen.subscribe(() => queueMicrotask(third.resolve));
  await third.promise;
  channel('fixture:release').publish({});
  await host.idle();
  expect(bodies()).toEqual(['hold', 'hold', 'hold']);
});

const received = z.object({ request: z.object({ headers: z.object({ 'x-amz-target': z.string() }) }) });

test('a message is followed by one more call that waits, however many batches may be handled at once', async () => {
  const targets: unknown[] = [];
  const listen = (message: unknown) =>
    void targets.push(received.parse(message).request.headers['x-amz-target']);
  subscribe('http.server.request.start', listen);
  for (const body of ['one', 'two', 'three']) {
    await send('Work', body);
    await host.idle();
  }
  unsubscribe('http.server.request.start', listen);
  expect(targets.filter((target) => target === 'AmazonSQS.ReceiveMessage')).toHaveLength(3);
});

test('a disabled mapping consumes nothing', async () => {
  await send('Off', 'left alone');
  expect(await take('Off')).toEqual(['left alone']);
});
