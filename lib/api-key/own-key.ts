// Which keys a caller may see and revoke: those of the organisation that are for no other workspaces than the
// caller's own.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import type { ApiKey } from './api-key.ts';

export function isOwnKey(caller: Caller, key: Pick<ApiKey, 'orgid' | 'workspaces'>): boolean {
  if (key.orgid !== caller.orgid) return false;
  if (key.workspaces === '*') return caller.workspaces === '*';
  return key.workspaces.every((workspace) => mayUseWorkspace(caller, workspace));
}
