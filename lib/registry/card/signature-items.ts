// The signatures of a build's cards: one item of the control table, beside the row, with an attribute for each form that
// was requested. In a partition of its own, so that the function that signs may write nothing else.
import * as z from 'zod';
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { deleteItemIf, getItem, type Key, updateItemIf } from '#lib/dynamo/items.ts';
import { rowKey } from '../row/row-items.ts';
import { type StoredRow, signature, storedRow } from '../row/stored-row.ts';
import type { CardForm } from './card-form.ts';

export const signaturesKey = (id: string): Key => ({ pk: `CARD#${id}`, sk: 'SIGNATURES' });

export const signedForm = /* @__PURE__ */ z.lazy(() =>
  z.object({
    /** Of the card that was signed: the signatures are not those of any other. */
    digest: z.string(),
    /** The KMS key. */
    key_id: z.string(),
    /** RFC 3339, UTC. */
    signed_at: z.string(),
    signatures: z.array(signature).min(1),
  }),
);
export type SignedForm = z.infer<typeof signedForm>;

/** The attributes of the item. Each has a second one, with the time in ms until which a process signs that form. */
export const storedSignatures = /* @__PURE__ */ z.lazy(() =>
  z.object({
    test: signedForm.optional(),
    live: signedForm.optional(),
    extended_test: signedForm.optional(),
    extended_live: signedForm.optional(),
  }),
);
export type StoredSignatures = z.infer<typeof storedSignatures>;

/** A row, and the signatures that its cards have so far; they may be those of former versions of the card. */
export interface SignableRow {
  readonly row: StoredRow;
  readonly stored: StoredSignatures;
}

export async function readSignatures(id: string): Promise<StoredSignatures> {
  return storedSignatures.parse((await getItem(controlTable, signaturesKey(id))) ?? {});
}

/** One call. */
export async function readSignableRow(id: string): Promise<SignableRow | undefined> {
  const keys = [rowKey(id), signaturesKey(id)];
  const items = await batchGet(controlTable, keys, { ConsistentRead: true });
  return pickSignableRow(items, id);
}

/** From items that were read together. */
export function pickSignableRow(
  items: readonly Readonly<Record<string, unknown>>[],
  id: string,
): SignableRow | undefined {
  const pick = (key: Key) => items.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
  const row = pick(rowKey(id));
  return row && { row: storedRow.parse(row), stored: storedSignatures.parse(pick(signaturesKey(id)) ?? {}) };
}

/** Longer than the function that signs may run. */
export const claimMs = 15_000;

const claimName = (form: CardForm) => `${form}_until`;

/**
 * False while another process signs the form, or if one has since `stored` was read: its signatures stay. `now` is in ms.
 */
export const claimForm = async (
  { row, stored }: SignableRow,
  form: CardForm,
  now: number,
): Promise<boolean> => {
  const seen = stored[form];
  return await updateItemIf(controlTable, signaturesKey(row.a2aregistryid), {
    UpdateExpression: 'SET #claim = :until, orgid = :orgid, workspaceid = :workspaceid',
    ConditionExpression: `(attribute_not_exists(#claim) OR #claim < :now) AND ${seen ? '#form = :seen' : 'attribute_not_exists(#form)'}`,
    ExpressionAttributeNames: { '#claim': claimName(form), '#form': form },
    ExpressionAttributeValues: {
      ':until': now + claimMs,
      ':now': now,
      ':orgid': row.orgid,
      ':workspaceid': row.workspaceid,
      ...(seen && { ':seen': seen }),
    },
  });
};

/** False when the claim, made at `claimedAt`, has expired and is another process's. */
export const storeForm = async (
  id: string,
  form: CardForm,
  { signed, claimedAt }: { readonly signed: SignedForm; readonly claimedAt: number },
): Promise<boolean> =>
  await updateItemIf(controlTable, signaturesKey(id), {
    UpdateExpression: 'SET #form = :signed REMOVE #claim',
    ConditionExpression: '#claim = :until',
    ExpressionAttributeNames: { '#form': form, '#claim': claimName(form) },
    ExpressionAttributeValues: { ':signed': signed, ':until': claimedAt + claimMs },
  });

/** After a failure, so that the next request need not wait until the claim expires. */
export const releaseForm = async (id: string, form: CardForm, claimedAt: number): Promise<boolean> =>
  await updateItemIf(controlTable, signaturesKey(id), {
    UpdateExpression: 'REMOVE #claim',
    ConditionExpression: '#claim = :until',
    ExpressionAttributeNames: { '#claim': claimName(form) },
    ExpressionAttributeValues: { ':until': claimedAt + claimMs },
  });

export const deleteSignatures = async (id: string): Promise<void> =>
  void (await deleteItemIf(controlTable, signaturesKey(id), {}));
