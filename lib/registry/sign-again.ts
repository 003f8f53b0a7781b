// Signs the cards of a row again, when the address of the service or its signing key has changed since they were signed.
import { base64url } from 'jose';
import * as z from 'zod';
import { operatorId } from '#lib/access/principal.ts';
import { publicKey } from '#lib/access/signer.ts';
import { requireEnv } from '#lib/env.ts';
import { replaceRow } from './change-items.ts';
import { removePostings, revise, writePostings } from './listing/postings.ts';
import { signStoredCard } from './published-card.ts';
import { agentCard } from './row/agent-card.ts';
import type { Signature, StoredRow } from './row/stored-row.ts';

/** Whether the row has another address than the service, or a signature by another key than signs now. */
export async function isSignedForFormer(row: StoredRow): Promise<boolean> {
  if (row.gateway_url !== requireEnv('GATEWAY_URL')) return true;
  const { kid } = await publicKey();
  return signaturesOf(row).some((signature) => readKeyId(signature) !== kid);
}

function signaturesOf({ signatures, sdk_signatures, extended_signatures }: StoredRow): Signature[] {
  const { test, live } = signatures;
  const others = [sdk_signatures, extended_signatures].flatMap((each) =>
    each ? [...each.test, ...each.live] : [],
  );
  return [test, live, ...others];
}

const header = z.object({ kid: z.string() });

const readKeyId = ({ protected: encoded }: Signature): string | undefined => {
  const text = new TextDecoder().decode(base64url.decode(encoded));
  return text === '' ? undefined : header.parse(JSON.parse(text)).kid;
};

/**
 * Both of its URLs, their cards and their signatures change together. False when the row is not the version that was
 * read: a promotion or an update came in between, and nothing is written.
 */
export async function signAgain(before: StoredRow, at: string): Promise<boolean> {
  const card = agentCard.parse(JSON.parse(before.card));
  const next: StoredRow = {
    ...before,
    ...(await signStoredCard(card, before)),
    version: before.version + 1,
    updated_at: at,
  };
  // Rows from before the list index get what lists find them by, because they are written in the current form.
  const { postings, added, dropped } = revise(before.postings ?? {}, next);
  await writePostings(next, added);
  const isWritten = await replaceRow(before, { ...next, postings }, operatorId, changedMembers(before, next));
  await removePostings(next, isWritten ? dropped : added);
  return isWritten;
}

/** By the names that callers know. */
const changedMembers = (before: StoredRow, after: StoredRow): string[] => [
  'agent_card',
  ...(before.gateway_url === after.gateway_url ? [] : ['hosted_url', 'card_url']),
];
