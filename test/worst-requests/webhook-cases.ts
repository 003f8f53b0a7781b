// Requests to the address of a webhook with a source: signed ones, whose bodies are read, and others, which are
// hashed only.
import { createHmac } from 'node:crypto';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';
import type { Case } from './cases.ts';
import type { SentRequest } from './measure.ts';

/** In the header of its signature alone, so that a request stays good for the whole measurement. */
export const measuredSource = { type: 'hmac', header: 'X-Signature', id_field: 'a.b', event_field: 'c.d' };
/** Its messages are parsed before they are verified. */
export const measuredTopic = { type: 'sns', topic_arn: 'arn:aws:sns:eu-central-1:123456789012:orders' };
export const measuredSecret = 'the secret of the measured source';

const form = 'application/x-www-form-urlencoded';
const fill = (length: number, piece: (n: number) => string, separator: string) =>
  Array.from({ length }, (_, n) => piece(n)).join(separator);

export function listWebhookCases(route: string, plain: SentRequest): Case[] {
  const room = tenantLimits().body_bytes.trigger - 100;
  const members = `{${fill(Math.floor(room / 12), (n) => `"${n.toString(36)}":1`, ',')}}`;
  const bodies: [string, string, string?][] = [
    ['unknown members', members],
    ['numbers that grow', `[${fill(Math.floor(room / 5), () => '1e20', ',')}]`],
    ['nesting', `${'['.repeat(room / 2)}${']'.repeat(room / 2)}`],
    [
      'nesting up to the limit',
      `[${fill(Math.floor(room / 121), () => `${'['.repeat(60)}${']'.repeat(60)}`, ',')}]`,
    ],
    ['texts to escape', `{"c":{"d":"${'\\u0001'.repeat(Math.floor(room / 6) - 10)}"}}`],
    ['a form of many fields', fill(Math.floor(room / 5), (n) => n.toString(36), '&'), form],
    ['a field that is repeated', fill(Math.floor(room / 4), () => 'a=1', '&'), form],
    ['escapes of a form', `a=${'%22'.repeat(Math.floor(room / 3) - 2)}`, form],
  ];
  return [
    { route, kind: 'without a signature', sent: { ...plain, text: members } },
    ...bodies.map(([kind, text, contentType = 'application/json']) => ({
      route,
      kind,
      sent: {
        ...plain,
        headers: { ...plain.headers, 'content-type': contentType, 'x-signature': sign(text) },
        text,
      },
    })),
  ];
}

/**
 * Messages of a topic that is trusted up to the address of its certificate, which is no file of SNS, so that nothing is
 * requested.
 */
export function listSnsCases(route: string, plain: SentRequest): Case[] {
  const room = tenantLimits().body_bytes.trigger - 1_000;
  const message = (more: string) =>
    `{"Type":"Notification","TopicArn":"${measuredTopic.topic_arn}","SignatureVersion":"2","Timestamp":"${new Date().toISOString()}",` +
    `"SigningCertURL":"https://sns.eu-central-1.amazonaws.com/x.pem",${more}}`;
  const bodies: [string, string][] = [
    ['members of a message of SNS', fill(Math.floor(room / 12), (n) => `"${n.toString(36)}":1`, ',')],
    ['a message of SNS of escapes', `"Message":"${'\\u0001'.repeat(Math.floor(room / 7))}"`],
    [
      'nesting in a message of SNS',
      `"a":[${fill(Math.floor(room / 121), () => `${'['.repeat(60)}${']'.repeat(60)}`, ',')}]`,
    ],
  ];
  return bodies.map(([kind, more]) => ({ route, kind, sent: { ...plain, text: message(more) } }));
}

const sign = (text: string): string => createHmac('sha256', measuredSecret).update(text).digest('hex');
