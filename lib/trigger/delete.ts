// Deletes a trigger. The runs that it has started continue; its id may be used again.
import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import { ownTrigger } from './own-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { deleteTrigger } from './trigger-items.ts';

export async function deleteOwn(
  caller: Caller,
  id: string,
  ifMatch: string | undefined,
): Promise<StoredTrigger> {
  const deleted = await retryOnConflict(async () => {
    const seen = await ownTrigger(caller, id, ifMatch);
    return (await inWorkspace(seen, deleteTrigger(seen))) ? seen : undefined;
  });
  if (deleted) return deleted;
  const { workspaceid } = await ownTrigger(caller, id, ifMatch);
  throw new ServiceError('version_conflict', {
    detail: 'The trigger was changed at the same time; try again.',
    workspaceid,
  });
}
