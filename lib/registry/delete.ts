// Deletes a build with its flow; a live one takes the flow's live pointer with it in the same transaction.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import { deleteSignatures } from './card/signature-items.ts';
import { removeRow } from './change-items.ts';
import { deleteFlow } from './flow-payload.ts';
import { removePostings } from './listing/postings.ts';
import { ownRow } from './row/own-row.ts';
import type { StoredRow } from './row/stored-row.ts';
import { livePostingKeys, removeLivePostings } from './search-index/live-postings.ts';

interface Removal {
  readonly at: string;
  readonly requestId?: string | undefined;
  readonly expectedVersion?: number | undefined;
}

export async function deleteRow(
  caller: Caller,
  id: string,
  { at, requestId, expectedVersion }: Removal,
): Promise<StoredRow> {
  const removed = await retryOnConflict(async () => {
    const row = await ownRow(caller, id, expectedVersion);
    return (await inWorkspace(row, removeRow(row, caller.id, at, requestId))) ? row : undefined;
  });
  if (removed) {
    const { postings } = removed;
    const livePostings = removed.status === 'live' ? livePostingKeys(removed) : [];
    const leftovers = [
      deleteFlow(removed),
      removePostings(removed, postings),
      removeLivePostings(livePostings),
      deleteSignatures(id),
    ];
    await inWorkspace(removed, Promise.all(leftovers));
    return removed;
  }
  const { workspaceid } = await ownRow(caller, id, expectedVersion);
  throw new ServiceError('version_conflict', {
    detail: 'The row was changed at the same time; try again.',
    workspaceid,
  });
}
