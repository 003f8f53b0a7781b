// Deletes a build with its flow; a live one takes the flow's live pointer with it in the same transaction.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { removeRow } from './change-items.ts';
import { removePostings } from './listing/postings.ts';
import { ownRow } from './own-row.ts';
import { deleteChunks } from './payload/payload-items.ts';
import { contend } from './retry-on-conflict.ts';

interface Removal {
  readonly at: string;
  readonly requestId?: string | undefined;
  readonly expectedVersion?: number | undefined;
}

export async function remove(
  caller: Caller,
  id: string,
  { at, requestId, expectedVersion }: Removal,
): Promise<void> {
  const removed = await contend(async () => {
    const row = await ownRow(caller, id, expectedVersion);
    return (await removeRow(row, caller.id, at, requestId)) ? row : undefined;
  });
  if (!removed)
    throw new ServiceError('version_conflict', {
      detail: 'The row was changed at the same time; try again.',
    });
  await Promise.all([
    deleteChunks(id, removed.payload_id, removed.payload_chunks),
    removePostings(removed, removed.postings),
  ]);
}
