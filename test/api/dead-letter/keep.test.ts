// The consumer of the dead-letter queue, with deliveries as SQS makes them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { handler } from '#functions/dead-letter/keep.ts';
import { requireEnv } from '#lib/env.ts';
import { keepUntil } from '#lib/run/stored-run.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { context } from '#test/support/invocation.ts';
import { batch, takeDeadLetter, webhookMessage } from '#test/support/runs.ts';

let judge: () => Verdict = () => 'pass';
let proxy: AwsProxy;
beforeAll(async () => {
  proxy = await startAwsProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => judge());
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(() => proxy.close());

const sqsEvent = z.custom<SQSEvent>();
const here = z.custom<Context>().parse(context);
const newMessage = async () => {
  const caller = await newCaller();
  return { caller, message: webhookMessage({ ...caller, flowid: unique('flow'), a2aregistryid: '' }) };
};
const listed = async (caller: { key: string; workspaceid: string }) =>
  (await call('listDeadLetters', { key: caller.key, query: { workspaceid: caller.workspaceid } })).body.items;

const table = DynamoDBDocumentClient.from(new DynamoDBClient());
const toLetterKey = ({ orgid, workspaceid }: { orgid: string; workspaceid: string }, id: string) => ({
  TableName: requireEnv('RUNS_TABLE'),
  Key: { pk: `DEAD#${orgid}#${workspaceid}`, sk: id },
});
async function letterItem(caller: { orgid: string; workspaceid: string }, id: string) {
  const { Item } = await table.send(new GetCommand({ ...toLetterKey(caller, id), ConsistentRead: true }));
  return z.object({ ttl: z.number() }).parse(Item);
}

/** As one delivery of a message, with what was put beside it. False when it comes again. */
async function deliver(body: string, messageId: string, reason?: string): Promise<boolean> {
  const messageAttributes =
    reason === undefined ? {} : { reason: { stringValue: reason, dataType: 'String' } };
  const [record] = batch([body]).Records;
  const event = sqsEvent.parse({ Records: [{ ...record, messageId, messageAttributes }] });
  return (await handler(event, here)).batchItemFailures.length === 0;
}

test('a message is stored under the id of its run, with the reason of the worker', async () => {
  const { caller, message } = await newMessage();
  await deliver(JSON.stringify(message), unique('message'), 'No live build.');
  expect(await listed(caller)).toEqual([
    {
      id: message.triggerId,
      workflow_id: message.triggerId,
      flowid: message.flowid,
      reason: 'No live build.',
      preview: '{"event":"test"}',
      attempts: 1,
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
    },
  ]);
});

test('a message that SQS moved by itself gets a general reason', async () => {
  const { caller, message } = await newMessage();
  await deliver(JSON.stringify(message), unique('message'));
  expect((await listed(caller))[0]?.reason).toContain('did not finish any delivery');
});

test.each([
  [1, 'lose answer'],
  [1, 'fail'],
  [2, 'lose answer'],
  [2, 'fail'],
] as const)('a message is stored once although the function dies at call %i (%s)', async (call_, how) => {
  const { caller, message } = await newMessage();
  const dead: Verdict = { status: 400, error: { __type: 'ValidationException', message: 'Dead.' } };
  let calls = 0;
  judge = () => {
    calls += 1;
    if (calls < call_) return 'pass';
    return calls === call_ && how === 'lose answer' ? how : dead;
  };
  expect(await deliver(JSON.stringify(message), 'one', 'Why.')).toBe(false);
  judge = () => 'pass';
  expect(await deliver(JSON.stringify(message), 'one', 'Why.')).toBe(true);
  expect(await listed(caller)).toMatchObject([{ id: message.triggerId, attempts: 1, reason: 'Why.' }]);
});

test('a second delivery of a message changes nothing, and a message that failed again counts as an attempt', async () => {
  const { caller, message } = await newMessage();
  const body = JSON.stringify(message);
  await deliver(body, 'first', 'One.');
  const once = await listed(caller);
  await deliver(body, 'first', 'One.');
  expect(await listed(caller)).toEqual(once);
  await deliver(body, 'second', 'Two.');
  expect(await listed(caller)).toEqual([
    { ...once[0], attempts: 2, reason: 'Two.', last_seen_at: expect.any(String) },
  ]);
});

test('a run that failed after a redrive resumes where it was, and still shows its event', async () => {
  const { caller, message } = await newMessage();
  await deliver(JSON.stringify(message), 'first', 'One.');
  const { triggerId, orgid, workspaceid } = message;
  const later = JSON.stringify({ kind: 'run', triggerId, orgid, workspaceid });
  await deliver(later, 'second', 'Two.');
  expect((await listed(caller))[0]?.preview).toBe('{"event":"test"}');
  expect((await takeDeadLetter(triggerId))?.body).toBe(later);
});

test('the preview has no text that looks like a secret, and a large event fits into the item', async () => {
  const { caller, message } = await newMessage();
  const data = { password: 'hunter2', text: '🎉'.repeat(60_000) };
  await deliver(JSON.stringify({ ...message, event: { event: 'big', data } }), unique('message'));
  const [letter] = await listed(caller);
  expect(letter?.preview).toContain('"password":"[redacted]"');
  expect(letter?.preview.length).toBeLessThanOrEqual(300);
  expect((await takeDeadLetter(message.triggerId))?.body).toContain('hunter2');
});

test.each(['no JSON', 'null', '{"triggerId":"x","orgid":"o","workspaceid":"w"}'])(
  'the message %j, which names no workspace, is kept for the operator',
  async (text) => {
    const body = `${text}${' '.repeat(Math.ceil(Math.random() * 1_000))}`;
    await deliver(body, unique('message'), 'The message is malformed.');
    expect(await takeDeadLetter(body)).toEqual({ body, reason: 'The message is malformed.' });
  },
);

test('a dead letter expires before the id of its run, however short the retention', async () => {
  const { caller, message } = await newMessage();
  const before = process.env.RUN_RETENTION_DAYS;
  process.env.RUN_RETENTION_DAYS = '2';
  await deliver(JSON.stringify(message), unique('message'));
  const nameIsFree = keepUntil(Date.now());
  process.env.RUN_RETENTION_DAYS = before;
  const { ttl } = await letterItem(caller, message.triggerId);
  expect(ttl).toBeGreaterThan(Date.now() / 1_000 + 2 * 86_400 - 60);
  expect(ttl).toBeLessThan(nameIsFree);
});

test('an expired dead letter is not found, even before DynamoDB removes it', async () => {
  const { caller, message } = await newMessage();
  await deliver(JSON.stringify(message), unique('message'));
  await table.send(
    new UpdateCommand({
      ...toLetterKey(caller, message.triggerId),
      UpdateExpression: 'SET #ttl = :past',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1_000) - 1 },
    }),
  );
  expect(await listed(caller)).toEqual([]);
  const query = { workspaceid: caller.workspaceid };
  const { problem } = await call('redriveDeadLetter', {
    key: caller.key,
    params: { id: message.triggerId },
    query,
  });
  expect(problem.code).toBe('dead_letter_not_found');
});
