// Refuses an event that is not signed as its flow demands.

import { ServiceError } from '#lib/errors.ts';
import {
  type SignatureHeaders,
  toleranceSeconds,
  type Verdict,
  verify,
} from '#lib/webhook-secret/signature.ts';
import { type EventDestination, withSecrets } from './event-destination.ts';

export interface SignedText {
  /** The body as it came. */
  readonly text: string;
  readonly signature: SignatureHeaders;
}

/**
 * The destination as it is now: where the remembered secrets do not fit, a new one may have been set since.
 */
export async function requireSignature(
  destination: EventDestination,
  sent: SignedText,
  nowMs: number,
): Promise<EventDestination> {
  if (destination.secrets.length === 0) return destination;
  const verifyWith = ({ secrets }: EventDestination) => verify(secrets, sent.signature, sent.text, nowMs);
  const verdict = verifyWith(destination);
  if (verdict === 'valid') return destination;
  const current = verdict === 'mismatch' ? await withSecrets(destination, nowMs) : destination;
  const currentVerdict = verifyWith(current);
  if (currentVerdict === 'valid' || current.secrets.length === 0) return current;
  throw new ServiceError('signature_invalid', { detail: reasons[currentVerdict] });
}

const reasons: Record<Exclude<Verdict, 'valid'>, string> = {
  unsigned: 'The flow wants events signed: send webhook-id, webhook-timestamp and webhook-signature.',
  stale: `webhook-timestamp must be seconds since 1970, at most ${toleranceSeconds} s from now.`,
  mismatch:
    'None of the signatures was made with a signing secret of the flow, over this id, timestamp and body.',
};
