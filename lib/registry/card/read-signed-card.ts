// A card with its signatures, for those who serve it. What is not signed yet is signed by another function: those that
// serve cards, or run flows, have no use of the key.
import type { AgentCard } from '../row/agent-card.ts';
import { type CardForm, computeCardDigest, readCardForm } from './card-form.ts';
import { findGoodSignatures, readRowSignatures } from './good-signatures.ts';
import type { SignableRow } from './signature-items.ts';

export interface SignedCard {
  readonly card: AgentCard;
  /** RFC 3339, UTC; never before the row was written. */
  readonly signedAt: string;
}

/**
 * No AWS call for a card that is signed, otherwise an invocation of the function that signs. Undefined when the row was
 * changed or deleted in the meantime: read it again. Rejects with `dependency_unavailable` if KMS does not sign.
 */
export async function readSignedCard(
  { row, stored }: SignableRow,
  form: CardForm,
): Promise<SignedCard | undefined> {
  const card = readCardForm(row, form);
  const ofRow = readRowSignatures(row, form);
  if (ofRow) return { card: { ...card, signatures: [...ofRow] }, signedAt: row.updated_at };
  const digest = computeCardDigest(row, card);
  const signed =
    findGoodSignatures(stored, form, digest) ?? (await requestSignatures(row.a2aregistryid, form));
  if (signed?.digest !== digest) return undefined;
  return { card: { ...card, signatures: signed.signatures }, signedAt: signed.signed_at };
}

async function requestSignatures(a2aregistryid: string, form: CardForm) {
  const { invokeCardSigner } = await import('./invoke-card-signer.ts');
  return await invokeCardSigner({ a2aregistryid, form });
}
