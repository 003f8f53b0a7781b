// Deletes one thing that a flow has stored in an environment.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { removeValue, type ValueOwner } from '#lib/run/stored-value-items.ts';
import { readMemoryId } from './memory-entry.ts';

/** A missing one, one of another organisation and an id that names nothing give the same error. */
export async function deleteMemory(
  caller: Caller,
  { workspaceid, flowid, environment }: Omit<ValueOwner, 'orgid'>,
  memoryId: string,
): Promise<void> {
  requireWorkspace(caller, workspaceid);
  const key = readMemoryId(memoryId);
  const owner = { orgid: caller.orgid, workspaceid, flowid, environment };
  if (key && (await removeValue(owner, key))) return;
  const detail = 'The flow has nothing of this id in this environment.';
  throw new ServiceError('memory_not_found', { detail });
}
