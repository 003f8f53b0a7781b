// Amazon SNS (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). There is no secret: SNS
// signs with a key of its own, whose certificate is at an address in the message. So the trigger pins the topic, and
// the certificate counts only from the host of SNS in the region of this topic. Whoever sends anything else makes the
// service request nothing. Raw delivery has no signature.
import { verify as verifySignature, X509Certificate } from 'node:crypto';
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type Reading, readJson, readText, type SentRequest } from './sent-request.ts';
import { fetchFromSns } from './sns-fetch.ts';
import type { SnsSource } from './source.ts';

/** SNS tries for an hour at most (`totalRetries` and delays of a delivery policy); the time is that of publishing. */
const ageMsMax = 86_400_000;
const algorithms: ReadonlyMap<string, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);

const confirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
/** What is signed of a message, by its type: names and values, each on a line. */
const signedMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', confirmation],
  ['UnsubscribeConfirmation', confirmation],
]);

type Message = Readonly<Record<string, unknown>>;

export async function verifySns({ topic_arn }: SnsSource, sent: SentRequest): Promise<boolean> {
  const message = parseMessage(sent.text);
  const read = (name: string) => readString(message, name);
  const algorithm = algorithms.get(read('SignatureVersion') ?? '');
  const url = findUrl(
    read('SigningCertURL'),
    topic_arn,
    /^\/SimpleNotificationService-[0-9a-f]{32,64}\.pem$/,
  );
  const age = sent.nowMs - Date.parse(read('Timestamp') ?? '');
  if (
    !algorithm ||
    !url ||
    url.search !== '' ||
    read('TopicArn') !== topic_arn ||
    !(Math.abs(age) <= ageMsMax)
  )
    return false;
  const text = writeSignedText(message);
  const certificate = text !== undefined && (await findCertificate(url, sent));
  if (!certificate || !isInForce(certificate, sent.nowMs)) return false;
  const signature = Buffer.from(read('Signature') ?? '', 'base64');
  return verifySignature(algorithm, Buffer.from(text), certificate.publicKey, signature);
}

/** Undefined for a message of another type, or without a member of its type. Only the subject is optional. */
function writeSignedText(message: Message): string | undefined {
  const names = signedMembers.get(readString(message, 'Type') ?? '');
  const present = names?.filter((name) => name !== 'Subject' || readString(message, name) !== undefined);
  if (!present || present.some((name) => readString(message, name) === undefined)) return undefined;
  return present.map((name) => `${name}\n${readString(message, name)}\n`).join('');
}

/** Unlike `readText`, also an empty one, which is signed as it is. */
function readString(message: Message, name: string): string | undefined {
  const value = Object.hasOwn(message, name) ? message[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Whoever sends something else has not signed it. */
function parseMessage(text: string): Message {
  try {
    const body = readJson(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch (error) {
    if (error instanceof ServiceError) return {};
    throw error;
  }
}

/** An address at the host of SNS in the region of the topic, over https; undefined for any other. */
function findUrl(text: string | undefined, topicArn: string, path: RegExp): URL | undefined {
  const [, partition, , region] = topicArn.split(':');
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  const url = text === undefined ? null : URL.parse(text);
  const isOfSns = url?.origin === `https://${host}` && url.username === '' && url.password === '';
  return isOfSns && path.test(url.pathname) ? url : undefined;
}

/** `undefined` is remembered too: that there is no such certificate. */
const certificates = boundedMap<string, { readonly certificate: X509Certificate | undefined }>({
  entriesMax: 100,
  keptMs: 3_600_000,
});

/** Requests count for the network address of the sender, so that nobody can make the service send many. */
async function findCertificate(
  url: URL,
  { sourceIp, nowMs }: SentRequest,
): Promise<X509Certificate | undefined> {
  const known = certificates.get(url.href);
  if (known) return known.certificate;
  await requireAddressQuota(sourceIp, nowMs);
  const text = await fetchFromSns(url);
  const certificate = text === undefined ? undefined : parseCertificate(text);
  certificates.set(url.href, { certificate });
  return certificate;
}

function parseCertificate(text: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(text);
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : undefined;
  } catch {
    return undefined;
  }
}

const isInForce = ({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean =>
  validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();

/** What only SNS needs, or what lets its reader end the subscription. */
const dropped = new Set([
  'Signature',
  'SignatureVersion',
  'SigningCertURL',
  'SubscribeURL',
  'Token',
  'UnsubscribeURL',
]);

export function readSns({ topic_arn }: SnsSource, sent: SentRequest): Reading {
  const message = parseMessage(sent.text);
  const type = readString(message, 'Type');
  if (type === 'SubscriptionConfirmation')
    return { is: 'subscription', url: findUrl(readString(message, 'SubscribeURL'), topic_arn, /^\/$/) };
  if (type !== 'Notification') return { is: 'test' };
  const body = Object.fromEntries(
    Object.entries(readJson(sent.text) ?? {}).filter(([name]) => !dropped.has(name)),
  );
  const subject = readText(body, 'Subject');
  return {
    is: 'event',
    id: readText(body, 'MessageId'),
    type: 'notification',
    otherTypes: subject === undefined ? [] : [subject],
    headers: {},
    body,
  };
}
