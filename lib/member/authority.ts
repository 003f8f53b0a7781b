// Which members a caller sees, and which it may invite, change and remove: nobody gives or takes more than they may do
// themselves, as with API keys.
import {
  type Caller,
  findLacking,
  intersectCallers,
  mayUseWorkspace,
  mayUseWorkspaces,
  narrowToPermission,
} from '#lib/access/caller.ts';
import { readMember, toCaller } from '#lib/access/member-items.ts';
import { principalKind, rootOf } from '#lib/access/principal.ts';
import { type MemberRoles, type Role, rolePermissions } from '#lib/access/role.ts';
import { readWorkspaces } from '#lib/access/workspace-items.ts';
import { ServiceError } from '#lib/errors.ts';

const listWorkspaces = (roles: MemberRoles): readonly string[] | '*' =>
  Object.hasOwn(roles, '*') ? '*' : Object.keys(roles);

/** Members and invitations for no other workspaces than the caller's; others look like missing ones. */
export const isVisible = (
  caller: Caller,
  { orgid, roles }: { readonly orgid: string; readonly roles: MemberRoles },
): boolean => orgid === caller.orgid && mayUseWorkspaces(caller, listWorkspaces(roles));

/**
 * The caller with what its root may do at this moment, in the workspaces in which it may still change members. What a
 * process has cached can be 45 s old, and who was removed or demoted a moment ago must not let others in.
 */
export async function refreshCaller(caller: Caller): Promise<Caller> {
  const userid = rootOf(caller);
  if (principalKind(userid) !== 'user') return caller;
  const member = await readMember({ userid, orgid: caller.orgid });
  if (member) return narrowToPermission(intersectCallers(caller, toCaller(member)), 'members:write');
  throw new ServiceError('unauthenticated', { cause: 'The user is no member any more.' });
}

/** The error lists what the caller lacks. */
export function requireAuthority(caller: Caller, roles: MemberRoles): void {
  const lacking = Object.entries(roles).flatMap(([workspace, role]) => lackingFor(caller, role, workspace));
  if (lacking.length === 0) return;
  const detail = `Members are invited, changed and removed by those who may do at least as much. The credentials lack: ${[...new Set(lacking)].join(', ')}.`;
  throw new ServiceError('permission_denied', { detail });
}

function lackingFor(caller: Caller, role: Role, workspace: string): string[] {
  const isOwn = workspace === '*' ? caller.workspaces === '*' : mayUseWorkspace(caller, workspace);
  if (!isOwn) return [`workspace ${workspace}`];
  const permissions = findLacking(caller, rolePermissions[role], workspace === '*' ? '*' : [workspace]);
  return workspace === '*' ? permissions : permissions.map((each) => `${each} in workspace ${workspace}`);
}

/** A workspace exists if it has a name, or if the credentials of the caller name it. */
export async function requireKnownWorkspaces(caller: Caller, roles: MemberRoles): Promise<void> {
  const { orgid, workspaces } = caller;
  const named = Object.keys(roles).filter((name) => name !== '*');
  const unsure = workspaces === '*' ? named : named.filter((id) => !workspaces.has(id));
  const known = new Set((await readWorkspaces(orgid, unsure)).map(({ workspaceid }) => workspaceid));
  const unknown = unsure.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const detail =
    'must be a workspace of the organisation: create it, or give it a name, with POST /api/v1/workspaces';
  throw new ServiceError('validation_failed', {
    errors: unknown.map((id) => ({ pointer: `/body/roles/${id}`, detail })),
  });
}
