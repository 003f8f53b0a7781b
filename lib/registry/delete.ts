// Deletes a build with its flow; a live one takes the flow's live pointer with it in the same transaction.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { removeRow } from './change-items.ts';
import { deleteFlow } from './flow-payload.ts';
import { removePostings } from './listing/postings.ts';
import { ownRow } from './own-row.ts';

interface Removal {
  readonly at: string;
  readonly requestId?: string | undefined;
  readonly expectedVersion?: number | undefined;
}

export async function deleteRow(
  caller: Caller,
  id: string,
  { at, requestId, expectedVersion }: Removal,
): Promise<void> {
  const removed = await retryOnConflict(async () => {
    const row = await ownRow(caller, id, expectedVersion);
    return (await removeRow(row, caller.id, at, requestId)) ? row : undefined;
  });
  if (!removed)
    throw new ServiceError('version_conflict', {
      detail: 'The row was changed at the same time; try again.',
    });
  await Promise.all([deleteFlow(removed), removePostings(removed, removed.postings)]);
}
