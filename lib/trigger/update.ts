// Replaces a trigger; its id, kind and workspace stay.
import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import type { UpdateTriggerBody } from './declared-trigger.ts';
import { ownTrigger } from './own-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { replaceTrigger } from './trigger-items.ts';
import { chooseWebhookId, computeDueTimes, readBody, requireWritable } from './write.ts';

export interface Replacement {
  readonly body: UpdateTriggerBody;
  readonly at: string;
  readonly ifMatch: string | undefined;
}

export async function updateTrigger(
  caller: Caller,
  id: string,
  replacement: Replacement,
): Promise<StoredTrigger> {
  const updated = await retryOnConflict(async () => {
    const seen = await ownTrigger(caller, id, replacement.ifMatch);
    return await inWorkspace(seen, tryUpdate(caller, seen, replacement));
  });
  if (updated) return updated;
  const { workspaceid } = await ownTrigger(caller, id, replacement.ifMatch);
  throw new ServiceError('version_conflict', {
    detail: 'The trigger is being changed by others; try again.',
    workspaceid,
  });
}

/** Undefined when another writer was faster. */
async function tryUpdate(
  caller: Caller,
  seen: StoredTrigger,
  replacement: Replacement,
): Promise<StoredTrigger | undefined> {
  const { body, at } = replacement;
  const { trigger_id, kind, orgid, workspaceid, created_at, created_by } = seen;
  await requireWritable(caller, { kind, workspaceid, body, at });
  const trigger: StoredTrigger = {
    ...readBody(body),
    trigger_id,
    kind,
    orgid,
    workspaceid,
    ...computeDueTimes(replacement, seen),
    webhook_id: chooseWebhookId(body, seen),
    version: seen.version + 1,
    created_at,
    updated_at: at,
    created_by,
    updated_by: caller.id,
  };
  return (await replaceTrigger(trigger, seen)) ? trigger : undefined;
}
