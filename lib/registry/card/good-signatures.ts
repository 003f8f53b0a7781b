// Which of the signatures that a build has are good for its card as it is now.
import { optionalEnv, requireEnv } from '#lib/env.ts';
import type { Signature, StoredRow } from '../row/stored-row.ts';
import type { CardForm } from './card-form.ts';
import type { SignedForm, StoredSignatures } from './signature-items.ts';

/**
 * Undefined if the card was changed since it was signed, or moved to another address, or if the key is none whose public
 * half the service publishes. During a rotation both keys are: so two versions of the service, each of which signs with
 * another one, do not replace each other's signatures.
 */
export function findGoodSignatures(
  stored: StoredSignatures,
  form: CardForm,
  digest: string,
): SignedForm | undefined {
  const signed = stored[form];
  return signed?.digest === digest && isPublished(signed.key_id) ? signed : undefined;
}

const isPublished = (keyId: string): boolean =>
  keyId === requireEnv('SIGNING_KEY_ID') || keyId === optionalEnv('SIGNING_KEY_ID_OTHER');

/**
 * Those that versions before signed when the build was written, and stored in its row. They are good until the row is
 * updated, or the migration `addresses` removes them.
 */
export function readRowSignatures(row: StoredRow, form: CardForm): readonly Signature[] | undefined {
  const found = rowSignatures(row, form);
  return found.length > 0 && found.every((each) => each.signature !== '') ? found : undefined;
}

function rowSignatures(row: StoredRow, form: CardForm): readonly Signature[] {
  switch (form) {
    case 'test':
    case 'live':
      return [row.signatures?.[form] ?? [], row.sdk_signatures?.[form] ?? []].flat();
    case 'extended_test':
      return row.extended_signatures?.test ?? [];
    case 'extended_live':
      return row.extended_signatures?.live ?? [];
  }
}
