// Who the caller is, for all kinds of principals.
import type { Caller } from '#lib/access/caller.ts';
import { queryMemberships } from '#lib/access/member-items.ts';
import { type Permission, permissions } from '#lib/access/permission.ts';
import { principalKind } from '#lib/access/principal.ts';
import { queryWorkspaces, readWorkspaces } from '#lib/access/workspace-items.ts';
import { requireEnv } from '#lib/env.ts';
import { type Me, namesMax } from './session.ts';

export async function describeMe(caller: Caller): Promise<Me> {
  const { id, root, orgid, workspaces, scopes, expiresAt } = caller;
  const kind = principalKind(id);
  const [names, user] = await Promise.all([
    readNames(caller),
    kind === 'user' ? describeUser(caller) : undefined,
  ]);
  return {
    kind,
    id,
    ...(root !== undefined && root !== id && { root }),
    ...user,
    orgid,
    workspaces: workspaces === '*' ? '*' : [...workspaces],
    workspace_names: names,
    permissions: sortPermissions(scopes),
    ...describeWorkspaces(caller),
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt * 1_000).toISOString() }),
  };
}

const sortPermissions = (scopes: ReadonlySet<Permission>): Permission[] =>
  permissions.filter((permission) => scopes.has(permission));

async function readNames({ orgid, workspaces }: Caller): Promise<Record<string, string>> {
  const named = await (workspaces === '*'
    ? queryWorkspaces(orgid, namesMax)
    : readWorkspaces(orgid, [...workspaces]));
  return Object.fromEntries(named.map(({ workspaceid, name }) => [workspaceid, name]));
}

function describeWorkspaces({ scopes, scopesByWorkspace }: Caller): Pick<Me, 'workspace_permissions'> {
  const each = [...(scopesByWorkspace ?? [])];
  if (each.every(([, own]) => own.size === scopes.size)) return {};
  return { workspace_permissions: Object.fromEntries(each.map(([id, own]) => [id, sortPermissions(own)])) };
}

/** A client with an access token learns of no other organisation than that of its grant. */
async function describeUser({ id, orgid, token }: Caller) {
  const all = await queryMemberships(id);
  const memberships = token ? all.filter((each) => each.orgid === orgid) : all;
  const { name, email, roles } = memberships.find((each) => each.orgid === orgid) ?? {};
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(roles !== undefined && { roles }),
    organizations: memberships.map(({ orgid, roles }) => ({ orgid, roles })),
    sign_out_url: `${requireEnv('GATEWAY_URL')}/auth/logout`,
  };
}
