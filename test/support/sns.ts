// Amazon SNS in a test: signs messages as its documentation describes it, with nothing of our code, and serves its
// certificate and the address that confirms a subscription.
import { randomBytes, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { closeServer, listen } from '#lib/local/listen.ts';
import { snsCertificate, snsKey } from './sns-certificate.ts';

export const topicArn = 'arn:aws:sns:eu-central-1:123456789012:orders';
const snsHost = 'https://sns.eu-central-1.amazonaws.com';

type Message = Readonly<Record<string, string>>;

export interface SnsServer {
  readonly url: string;
  /** The paths that were requested, with their queries. */
  readonly requests: readonly string[];
  /** A new address of the certificate. */
  readonly newCertificateUrl: () => string;
  readonly close: () => Promise<void>;
}

export async function startSns(): Promise<SnsServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    requests.push(url);
    const isKnown = url.startsWith('/SimpleNotificationService-f') || url.includes('Token=good');
    response.writeHead(isKnown ? 200 : 404).end(url.endsWith('.pem') ? snsCertificate : '<ok/>');
  });
  const url = await listen(server, 0);
  return {
    url,
    requests,
    newCertificateUrl: () =>
      `${snsHost}/SimpleNotificationService-f${randomBytes(16).toString('hex').slice(1)}.pem`,
    close: async () => await closeServer(server),
  };
}

/** The order of the documentation, which is also that of the alphabet. */
const signed = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

export function signMessage(message: Message, key: string = snsKey): Message {
  const names = signed.filter((name) => message[name] !== undefined);
  const text = names.map((name) => `${name}\n${message[name]}\n`).join('');
  const algorithm = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return { ...message, Signature: sign(algorithm, Buffer.from(text), key).toString('base64') };
}

export const notification = (some: Message): Message => ({
  Type: 'Notification',
  MessageId: randomUUID(),
  TopicArn: topicArn,
  Message: '{"order":1042}',
  Timestamp: new Date().toISOString(),
  SignatureVersion: '2',
  UnsubscribeURL: `${snsHost}/?Action=Unsubscribe&SubscriptionArn=${topicArn}:1`,
  ...some,
});

export const confirmation = (some: Message): Message => ({
  Type: 'SubscriptionConfirmation',
  MessageId: randomUUID(),
  Token: 'good',
  TopicArn: topicArn,
  Message: 'You have chosen to subscribe to the topic.',
  SubscribeURL: `${snsHost}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=good`,
  Timestamp: new Date().toISOString(),
  SignatureVersion: '2',
  ...some,
});
