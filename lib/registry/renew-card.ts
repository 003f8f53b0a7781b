// Cards after a change of the address of the service or of its signing key: rows get the new address, and signatures by
// the former key are removed, so that the next request for a card has it signed again.
import { base64url } from 'jose';
import * as z from 'zod';
import { operatorId } from '#lib/access/principal.ts';
import { publicKey } from '#lib/access/signer.ts';
import { requireEnv } from '#lib/env.ts';
import { atCurrentAddress } from './card/published-card.ts';
import { deleteSignatures, readSignatures } from './card/signature-items.ts';
import { replaceRow } from './change-items.ts';
import { removePostings, revise, writePostings } from './listing/postings.ts';
import type { Signature, StoredRow } from './row/stored-row.ts';

/** Whether the row has another address than the service, or a signature by another key than signs now. */
export const hasFormerCard = async (row: StoredRow): Promise<boolean> =>
  (await isOfFormer(row)) || (await isSignedByFormerKey(row.a2aregistryid));

async function isSignedByFormerKey(id: string): Promise<boolean> {
  const forms = Object.values(await readSignatures(id));
  return forms.some((signed) => signed && signed.key_id !== requireEnv('SIGNING_KEY_ID'));
}

/** The same of the row alone, which has signatures if a version before signed it. */
async function isOfFormer(row: StoredRow): Promise<boolean> {
  if (row.gateway_url !== requireEnv('GATEWAY_URL')) return true;
  const { kid } = await publicKey();
  return rowSignatures(row).some((signature) => readKeyId(signature) !== kid);
}

function rowSignatures({ signatures, sdk_signatures, extended_signatures }: StoredRow): Signature[] {
  const others = [sdk_signatures, extended_signatures].flatMap((each) =>
    each ? [...each.test, ...each.live] : [],
  );
  const all = signatures ? [signatures.test, signatures.live, ...others] : others;
  return all.filter(({ protected: encoded }) => encoded !== '');
}

const header = z.object({ kid: z.string() });

const readKeyId = ({ protected: encoded }: Signature): string =>
  header.parse(JSON.parse(new TextDecoder().decode(base64url.decode(encoded)))).kid;

/**
 * False when the row is not the version that was read: a promotion or an update came in between, and nothing is
 * written. A row that only has signatures by a former key keeps its version, because it does not change.
 */
export async function renewCard(before: StoredRow, at: string): Promise<boolean> {
  if ((await isOfFormer(before)) && !(await rewriteRow(before, at))) return false;
  await deleteSignatures(before.a2aregistryid);
  return true;
}

/** Both of its URLs and their cards change together. */
async function rewriteRow(before: StoredRow, at: string): Promise<boolean> {
  const next: StoredRow = {
    ...before,
    ...atCurrentAddress(),
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
