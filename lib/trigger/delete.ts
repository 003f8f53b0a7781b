// Deletes a trigger. What it has started goes on; its address is free for another.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { ownTrigger } from './own-trigger.ts';
import { deleteTrigger } from './trigger-items.ts';

export async function removeTrigger(caller: Caller, id: string, ifMatch: string | undefined): Promise<void> {
  const removed = await retryOnConflict(async () => {
    const seen = await ownTrigger(caller, id, ifMatch);
    return (await deleteTrigger(seen)) ? seen : undefined;
  });
  if (removed) return;
  throw new ServiceError('version_conflict', {
    detail: 'The trigger was changed at the same time; try again.',
  });
}
