// Twilio (https://www.twilio.com/docs/usage/security#validating-requests): an HMAC over the URL and the fields of
// the form, or over the URL with the hash of another body. The address must therefore be the one that Twilio calls.
import { createHash } from 'node:crypto';
import {
  isForm,
  isSameText,
  isSigned,
  readForm,
  readJson,
  readText,
  type SentRequest,
  type SourceReader,
} from './sent-request.ts';
import type { TwilioSource } from './source.ts';

export const twilio: SourceReader<TwilioSource> = {
  verify: ({ url }, secrets, sent) => {
    const text = signedText(url ?? sent.url, sent);
    const signatures = [sent.headers['x-twilio-signature'] ?? ''];
    return (
      text !== undefined && isSigned(secrets, { algorithm: 'sha1', encoding: 'base64', text }, signatures)
    );
  },

  read: (_, sent) => {
    const body = isForm(sent) ? readForm(sent) : readJson(sent.text);
    const [type, ...otherTypes] = namesOf((name) => readText(body, name));
    return { is: 'event', id: undefined, type, otherTypes, headers: {}, body };
  },
};

/** Undefined if the body is not the one whose hash is in the URL. */
function signedText(url: string, { bodyHash, text, ...sent }: SentRequest): string | undefined {
  if (bodyHash === undefined) return isForm({ ...sent, text }) ? `${url}${printFields(text)}` : url;
  const hash = createHash('sha256').update(text).digest('hex');
  if (!isSameText(hash, bodyHash.toLowerCase())) return undefined;
  return `${url}${url.includes('?') ? '&' : '?'}bodySHA256=${bodyHash}`;
}

/** Names and values, sorted by name; a value that is sent twice under a name counts once. */
function printFields(text: string): string {
  const fields = [...new Set([...new URLSearchParams(text)].map((pair) => JSON.stringify(pair)))]
    .map((pair): readonly [string, string] => JSON.parse(pair))
    .sort(([a, one], [b, other]) => compare(a, b) || compare(one, other));
  return fields.map((pair) => pair.join('')).join('');
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** A message has a new event for each of its statuses, and a call too. */
function namesOf(read: (name: string) => string | undefined): readonly [string, ...string[]] {
  if (read('MessageSid') !== undefined)
    return [`message.${read('MessageStatus') ?? read('SmsStatus') ?? 'received'}`, 'message'];
  if (read('CallSid') !== undefined) return [`call.${read('CallStatus') ?? 'received'}`, 'call'];
  return ['webhook'];
}
