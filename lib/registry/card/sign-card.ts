// Signs a card when it is requested for the first time, and stores the signatures, so that every later answer has the same
// ones. Only the function that signs loads it: callers name a build and a form, never what is signed.
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { registryId } from '#lib/ids.ts';
import type { AgentCard } from '../row/agent-card.ts';
import { readRow } from '../row/row-items.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { type CardForm, cardForms, computeCardDigest, readCardForm } from './card-form.ts';
import { signCard } from './card-signatures.ts';
import { findGoodSignatures } from './good-signatures.ts';
import {
  claimForm,
  deleteSignatures,
  readSignableRow,
  releaseForm,
  type SignedForm,
  storeForm,
} from './signature-items.ts';

export const cardToSign = z.strictObject({ a2aregistryid: registryId, form: z.enum(cardForms) });
export type CardToSign = z.infer<typeof cardToSign>;

interface Time {
  /** Ms since 1970. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** For as long as somebody else signs the same form: a call of KMS takes some 10 ms. */
const triesMax = 20;
const pauseMs = 100;

/**
 * Undefined if there is no such build. Of several processes that are asked at the same time one signs, and the others wait
 * for what it stores. Rejects with `dependency_unavailable` if it does not in time.
 */
export async function signStoredCard(
  { a2aregistryid, form }: CardToSign,
  { now, pause }: Time,
): Promise<SignedForm | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (tries > 0) await pause(pauseMs);
    const found = await readSignableRow(a2aregistryid);
    if (!found) return undefined;
    const card = readCardForm(found.row, form);
    const good = findGoodSignatures(found.stored, form, computeCardDigest(found.row, card));
    if (good) return good;
    const claimedAt = now();
    if (!(await claimForm(found, form, claimedAt))) continue;
    const signed = await signClaimed(found.row, { form, card, claimedAt });
    if (signed) return await unlessDeleted(a2aregistryid, signed);
  }
  throw new ServiceError('dependency_unavailable', { cause: 'Another process has not signed the card yet.' });
}

interface Claimed {
  readonly form: CardForm;
  readonly card: AgentCard;
  readonly claimedAt: number;
}

async function signClaimed(
  row: StoredRow,
  { form, card, claimedAt }: Claimed,
): Promise<SignedForm | undefined> {
  try {
    const signed: SignedForm = {
      digest: computeCardDigest(row, card),
      key_id: requireEnv('SIGNING_KEY_ID'),
      signed_at: new Date(claimedAt).toISOString(),
      signatures: await signCard(card, row.gateway_url),
    };
    return (await storeForm(row.a2aregistryid, form, { signed, claimedAt })) ? signed : undefined;
  } catch (error) {
    await releaseForm(row.a2aregistryid, form, claimedAt);
    throw error;
  }
}

/** A deletion removes the row, then the signatures. Those that are stored after both would stay. */
async function unlessDeleted(id: string, signed: SignedForm): Promise<SignedForm | undefined> {
  if (await readRow(id)) return signed;
  await deleteSignatures(id);
  return undefined;
}
