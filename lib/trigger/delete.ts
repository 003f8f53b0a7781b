// Deletes a trigger, and the secrets of its source. The runs that it has started continue; its id may be used
// again.
import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import { removeSecretsAction } from '#lib/webhook-secret/secret-items.ts';
import { ownTrigger } from './own-trigger.ts';
import { toSecretScope } from './secret-scope.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { deleteTrigger } from './trigger-items.ts';

export async function deleteOwn(
  caller: Caller,
  id: string,
  ifMatch: string | undefined,
): Promise<StoredTrigger> {
  const deleted = await retryOnConflict(async () => {
    const seen = await ownTrigger(caller, id, ifMatch);
    return (await inWorkspace(seen, deleteTrigger(seen, secretsOf(seen)))) ? seen : undefined;
  });
  if (deleted) return deleted;
  const { workspaceid } = await ownTrigger(caller, id, ifMatch);
  throw new ServiceError('version_conflict', {
    detail: 'The trigger was changed at the same time; try again.',
    workspaceid,
  });
}

/** Also of a trigger that has no source any more. */
const secretsOf = (trigger: StoredTrigger) =>
  trigger.kind === 'webhook' ? [removeSecretsAction(toSecretScope(trigger))] : [];
