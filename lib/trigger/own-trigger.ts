// Reads a trigger of the caller's, at the version that If-Match names. A trigger that is missing and one of
// another workspace give the same 404. Errors name the workspace of the trigger, for the audit record.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { formatEtag, matchesEtag } from '#lib/dynamo/etag.ts';
import { ServiceError } from '#lib/errors.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { readTrigger } from './trigger-items.ts';

/** What is checked here holds at the change too, as that is conditional on the version that was read. */
export async function ownTrigger(
  caller: Caller,
  trigger_id: string,
  ifMatch?: string,
): Promise<StoredTrigger> {
  const trigger = await readTrigger({ orgid: caller.orgid, trigger_id });
  if (!trigger || !mayUseWorkspace(caller, trigger.workspaceid))
    throw new ServiceError('trigger_not_found', {
      detail: `There is no trigger ${trigger_id}.`,
      workspaceid: trigger?.workspaceid,
    });
  if (matchesEtag(trigger, ifMatch)) return trigger;
  throw new ServiceError('precondition_failed', {
    detail: `The trigger has version ${trigger.version} now, and its ETag is "${formatEtag(trigger)}"; If-Match names another.`,
    workspaceid: trigger.workspaceid,
  });
}
