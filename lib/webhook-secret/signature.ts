// Standard Webhooks signatures, symmetric form (https://www.standardwebhooks.com): HMAC-SHA256 over
// `{id}.{timestamp}.{body}`. Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '#lib/secret.ts';

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970, as text, since that is what is signed. */
  readonly timestamp: string;
  /** As it is on the wire. */
  readonly body: string;
}

/** What came in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
export interface SignatureHeaders {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

export type Verdict = 'valid' | 'unsigned' | 'stale' | 'mismatch';

/** How far the sender's clock may differ from ours, either way. */
export const toleranceSeconds = 300;
const prefix = 'whsec_';

/**
 * The headers of a message that we send: one signature for each secret in force, so that a receiver may have
 * either.
 */
export const signatureHeaders = (secrets: readonly Secret[], message: SignedMessage) => ({
  'webhook-id': message.id,
  'webhook-timestamp': message.timestamp,
  'webhook-signature': secrets.map((secret) => computeSignature(secret, message)).join(' '),
});

export function verify(
  secrets: readonly Secret[],
  { id, timestamp, signature }: SignatureHeaders,
  body: string,
  nowMs: number,
): Verdict {
  if (!id || !timestamp || !signature) return 'unsigned';
  if (!/^\d{1,12}$/.test(timestamp)) return 'stale';
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > toleranceSeconds) return 'stale';
  const given = signature.split(' ');
  const expected = secrets.map((secret) => computeSignature(secret, { id, timestamp, body }));
  return expected.some((one) => given.some((other) => isSame(one, other))) ? 'valid' : 'mismatch';
}

function computeSignature(secret: Secret, { id, timestamp, body }: SignedMessage): string {
  const key = Buffer.from(secret.reveal().slice(prefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** In time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
