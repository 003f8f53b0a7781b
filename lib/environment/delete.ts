// Forgets what is set for an environment: it runs the newest test build again, or the live one, without variables of its own.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { deleteEnvironment } from './environment-items.ts';
import { ownEnvironment, type Place, requireEdition } from './own-environment.ts';

export async function removeEnvironment(
  caller: Caller,
  place: Place,
  ifMatch: string | undefined,
): Promise<void> {
  const removed = await retryOnConflict(async () => {
    const settings = await ownEnvironment(caller, place);
    requireEdition(settings, ifMatch);
    return (await deleteEnvironment(settings)) ? settings : undefined;
  });
  if (removed) return;
  throw new ServiceError('version_conflict', {
    detail: 'The environment was changed at the same time; try again.',
  });
}
