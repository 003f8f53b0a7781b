// Amazon SNS at the address of a trigger. The function runs in this process, so that SNS is a server of the test.
import { randomBytes, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { eventFor } from '#test/support/events.ts';
import { invokeHere, load } from '#test/support/invocation.ts';
import { loopbackKey } from '#test/support/loopback-certificate.ts';
import {
  confirmation,
  notification,
  type SnsServer,
  signMessage,
  startSns,
  topicArn,
} from '#test/support/sns.ts';
import { snsKey } from '#test/support/sns-certificate.ts';
import { declare, triggerBody } from '#test/support/triggers.ts';
import { newWebhook, outputOf } from '#test/support/webhook-senders.ts';

let sns: SnsServer;
beforeAll(async () => {
  sns = await startSns();
  process.env.AWS_ENDPOINT_URL_SNS = sns.url;
  process.env.EGRESS_ALLOW_PRIVATE = new URL(sns.url).host;
});
afterAll(async () => await sns.close());

type Message = Readonly<Record<string, string>>;

async function send(webhookId: string, message: object) {
  const { handler } = await load(() => import('#functions/trigger/receive-webhook.ts'));
  const headers = { 'Content-Type': 'text/plain; charset=UTF-8' };
  const event = eventFor('receiveWebhook', { key: '', params: { webhookId }, headers, body: message });
  return await invokeHere(handler, event);
}
const newTopic = async (some: object = {}) => await newWebhook({ type: 'sns', topic_arn: topicArn, ...some });
const listRuns = async ({ agent }: Awaited<ReturnType<typeof newTopic>>) =>
  (await call('listRuns', { key: agent.key, query: { workspaceid: agent.workspaceid } })).body.items;

describe('202', () => {
  test.each(['1', '2'])(
    'a notification with a signature of version %s; again, it has the same run',
    async (version) => {
      const webhook = await newTopic();
      const some = { Subject: 'orders', SignatureVersion: version, SigningCertURL: sns.newCertificateUrl() };
      const message = signMessage(notification(some));
      const answers = await Promise.all([send(webhook.webhookId, message), send(webhook.webhookId, message)]);
      answers.push(await send(webhook.webhookId, message));
      await idle();
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
      expect(new Set(answers.map(({ body }) => body.triggerId)).size).toBe(1);
      expect(await listRuns(webhook)).toHaveLength(1);
      const { Type, MessageId, TopicArn, Message, Timestamp, Subject } = message;
      expect(await outputOf(webhook, String(answers[0]?.body.triggerId))).toEqual({
        event: 'notification',
        data: {
          source: 'sns',
          id: MessageId,
          headers: {},
          body: { Type, MessageId, TopicArn, Message, Timestamp, Subject },
        },
      });
    },
  );

  // https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
  test('the string to sign of the documentation, with the time of the test', async () => {
    const { webhookId } = await newTopic();
    const Timestamp = new Date().toISOString();
    const text = `Message
My Test Message
MessageId
4d4dc071-ddbf-465d-bba8-08f81c89da64
Subject
My subject
Timestamp
${Timestamp}
TopicArn
${topicArn}
Type
Notification
`;
    const message = {
      Type: 'Notification',
      MessageId: '4d4dc071-ddbf-465d-bba8-08f81c89da64',
      TopicArn: topicArn,
      Subject: 'My subject',
      Message: 'My Test Message',
      Timestamp,
      SignatureVersion: '2',
      Signature: sign('RSA-SHA256', Buffer.from(text), snsKey).toString('base64'),
      SigningCertURL: sns.newCertificateUrl(),
    };
    expect((await send(webhookId, message)).statusCode).toBe(202);
  });

  test('the certificate is requested once', async () => {
    const { webhookId } = await newTopic();
    const SigningCertURL = sns.newCertificateUrl();
    for (let n = 0; n < 3; n += 1)
      expect((await send(webhookId, signMessage(notification({ SigningCertURL })))).statusCode).toBe(202);
    expect(sns.requests.filter((path) => path === new URL(SigningCertURL).pathname)).toHaveLength(1);
  });

  test('a subscription to the topic is confirmed, and its end is acknowledged; neither starts a run', async () => {
    const webhook = await newTopic();
    const SigningCertURL = sns.newCertificateUrl();
    const message = signMessage(confirmation({ SigningCertURL }));
    expect(await send(webhook.webhookId, message)).toMatchObject({
      statusCode: 202,
      body: { status: 'ignored' },
    });
    const asked = sns.requests.filter((path) => path.includes('ConfirmSubscription'));
    expect(asked).toEqual([`/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=good`]);
    const ended = signMessage(confirmation({ SigningCertURL, Type: 'UnsubscribeConfirmation' }));
    expect((await send(webhook.webhookId, ended)).body).toEqual({ status: 'ignored' });
    expect(sns.requests.filter((path) => path.includes('ConfirmSubscription'))).toEqual(asked);
    await idle();
    expect(await listRuns(webhook)).toEqual([]);
  });

  test('events of other subjects than the trigger wants start nothing', async () => {
    const { webhookId } = await newTopic({ events: ['paid'] });
    const SigningCertURL = sns.newCertificateUrl();
    const statusOf = async (Subject: string) =>
      (await send(webhookId, signMessage(notification({ SigningCertURL, Subject })))).body.status;
    expect([await statusOf('paid'), await statusOf('shipped')]).toEqual(['accepted', 'ignored']);
  });
});

describe('401, as for an address that does not exist', () => {
  const other = 'arn:aws:sns:eu-central-1:999999999999:orders';
  const certificate = '/SimpleNotificationService-f0123456789abcdef0123456789abcdef.pem';
  const host = 'https://sns.eu-central-1.amazonaws.com';
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();

  test.each<[string, (good: Message) => object]>([
    ['another topic, which SNS has signed', (good) => signMessage({ ...good, TopicArn: other })],
    [
      'a certificate at another host',
      (good) =>
        signMessage({
          ...good,
          SigningCertURL: `https://sns.eu-central-1.amazonaws.com.evil.example${certificate}`,
        }),
    ],
    [
      'a bucket of S3',
      (good) => signMessage({ ...good, SigningCertURL: `https://sns.s3.amazonaws.com${certificate}` }),
    ],
    [
      'another region',
      (good) => signMessage({ ...good, SigningCertURL: `https://sns.us-east-1.amazonaws.com${certificate}` }),
    ],
    [
      'http',
      (good) =>
        signMessage({ ...good, SigningCertURL: `http://sns.eu-central-1.amazonaws.com${certificate}` }),
    ],
    ['another port', (good) => signMessage({ ...good, SigningCertURL: `${host}:8443${certificate}` })],
    [
      'a user name',
      (good) =>
        signMessage({ ...good, SigningCertURL: `https://a@sns.eu-central-1.amazonaws.com${certificate}` }),
    ],
    [
      'another path',
      (good) => signMessage({ ...good, SigningCertURL: `${host}/?Action=Anything&x=${certificate}` }),
    ],
    ['a query', (good) => signMessage({ ...good, SigningCertURL: `${host}${certificate}?a=1` })],
    ['a message that is too old', (good) => signMessage({ ...good, Timestamp: at(-90_000_000) })],
    ['another version', (good) => ({ ...signMessage(good), SignatureVersion: '3' })],
    ['no type', (good) => signMessage({ ...good, Type: '__proto__' })],
    ['raw delivery', () => ({ order: 1042 })],
    ['no object', () => []],
  ])('%s: nothing is requested', async (_what, change) => {
    const { webhookId } = await newTopic();
    const before = sns.requests.length;
    const refused = await send(webhookId, change(notification({ SigningCertURL: sns.newCertificateUrl() })));
    const unknown = await send(randomBytes(16).toString('base64url'), {});
    expect({ ...refused.body, instance: '' }).toEqual({ ...unknown.body, instance: '' });
    expect(refused.statusCode).toBe(401);
    expect(sns.requests).toHaveLength(before);
  });

  test.each<[string, (good: Message) => object]>([
    ['another message', (good) => ({ ...signMessage(good), Message: '{"order":1}' })],
    ['another name', (good) => ({ ...signMessage(good), MessageId: randomUUID() })],
    ['a subject that was added', (good) => ({ ...signMessage(good), Subject: 'paid' })],
    ['the signature of another version', (good) => ({ ...signMessage(good), SignatureVersion: '1' })],
    ['a signature of another key', (good) => signMessage(good, loopbackKey)],
    ['no signature', (good) => good],
    [
      'a certificate that does not exist',
      (good) =>
        signMessage({
          ...good,
          SigningCertURL: `${host}/SimpleNotificationService-00000000000000000000000000000000.pem`,
        }),
    ],
    [
      'a confirmation that SNS refuses',
      (good) =>
        signMessage(
          confirmation({ SigningCertURL: good.SigningCertURL ?? '', SubscribeURL: `${host}/?Token=bad` }),
        ),
    ],
    [
      'a confirmation elsewhere',
      (good) =>
        signMessage(
          confirmation({
            SigningCertURL: good.SigningCertURL ?? '',
            SubscribeURL: 'https://evil.example/?Token=good',
          }),
        ),
    ],
  ])('%s', async (_what, change) => {
    const webhook = await newTopic();
    const SigningCertURL = sns.newCertificateUrl();
    const refused = await send(webhook.webhookId, change(notification({ SigningCertURL })));
    expect(refused).toMatchObject({ statusCode: 401, body: { code: 'signature_invalid' } });
    expect((await send(webhook.webhookId, signMessage(notification({ SigningCertURL })))).statusCode).toBe(
      202,
    );
    expect(sns.requests.some((path) => path.includes('evil'))).toBe(false);
  });

  test('what SNS has signed for the topic of another organisation reaches that one only', async () => {
    const [own, foreign] = [await newTopic(), await newTopic({ topic_arn: other })];
    const message = signMessage(notification({ SigningCertURL: sns.newCertificateUrl() }));
    expect((await send(foreign.webhookId, message)).statusCode).toBe(401);
    expect((await send(own.webhookId, message)).statusCode).toBe(202);
    await idle();
    expect(await listRuns(foreign)).toEqual([]);
  });
});

test('503: SNS does not serve its certificate now, so that it sends the message again', async () => {
  const { webhookId } = await newTopic();
  const message = signMessage(notification({ SigningCertURL: sns.newCertificateUrl() }));
  process.env.AWS_ENDPOINT_URL_SNS = 'http://127.0.0.1:1';
  expect((await send(webhookId, message)).statusCode).toBe(503);
  process.env.AWS_ENDPOINT_URL_SNS = sns.url;
  expect((await send(webhookId, message)).statusCode).toBe(202);
});

test('400: the topic is an ARN', async () => {
  const { agent } = await newTopic();
  const body = triggerBody(agent, { kind: 'webhook', source: { type: 'sns', topic_arn: 'orders' } });
  const { errors } = (await declare(agent, body)).problem;
  expect(errors).toMatchObject([{ pointer: '/body/source/topic_arn' }]);
});
