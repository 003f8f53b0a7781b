// The scope of the signing secrets of a webhook: a flow, or a declared trigger with a source.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { isTriggerId } from '#lib/ids.ts';
import type { RequestedScope } from '#lib/webhook-secret/own-secret.ts';
import type { SecretScope } from '#lib/webhook-secret/signing-secret.ts';
import { ownTrigger } from './own-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';

/** `id` is that of a flow, which need not exist, or of a declared trigger. Another call for the trigger. */
export async function findSecretScope(
  caller: Caller,
  id: string,
  workspaceid: string,
): Promise<RequestedScope> {
  if (!isTriggerId(id)) return { workspaceid, flowid: id };
  const trigger = await ownTrigger(caller, id);
  if (trigger.workspaceid !== workspaceid)
    throw new ServiceError('trigger_not_found', { detail: `There is no trigger ${id}.` });
  if (trigger.source) return toSecretScope(trigger);
  throw new ServiceError('trigger_kind_mismatch', {
    detail: `The trigger ${id} has no source; its events are signed with the secret of its flow.`,
  });
}

/** Another trigger that takes the id later has secrets of its own. */
export const toSecretScope = ({
  orgid,
  workspaceid,
  trigger_id,
  created_at: declared_at,
}: StoredTrigger): SecretScope => ({ orgid, workspaceid, trigger: { trigger_id, declared_at } });
