// Who is calling, taken from verified credentials only. Every query is keyed by it.
import { ServiceError } from '#lib/errors.ts';
import { type OAuthScope, oauthScopes } from './oauth-scope.ts';
import type { Permission } from './permission.ts';
import type { Principal } from './principal.ts';

export interface Caller extends Principal {
  readonly orgid: string;
  /** Workspaces of that organisation; '*' is all of them. */
  readonly workspaces: ReadonlySet<string> | '*';
  /** What the caller may do in at least one of them. */
  readonly scopes: ReadonlySet<Permission>;
  /** What the caller may do in each of its workspaces; absent where that is `scopes` in all of them. */
  readonly scopesByWorkspace?: ScopesByWorkspace;
  /**
   * When the API key or the grant of an access token ends, in seconds since 1970; none for a session, and for a caller
   * that acts without a credential, as a schedule does.
   */
  readonly expiresAt?: number;
  /** Only of an access token. Other credentials have no scopes but their permissions, and may call agents. */
  readonly token?: TokenScopes;
}

interface TokenScopes {
  readonly granted: ReadonlySet<OAuthScope>;
  /** Not granted, but the role of the user allows them: the client may ask for them. */
  readonly available: ReadonlySet<OAuthScope>;
}

export type ScopesByWorkspace = ReadonlyMap<string, ReadonlySet<Permission>>;

/** What a caller with roles in single workspaces may do, as members of `Caller`. */
export const byWorkspace = (scopesByWorkspace: ScopesByWorkspace) => ({
  workspaces: new Set(scopesByWorkspace.keys()),
  scopes: new Set([...scopesByWorkspace.values()].flatMap((scopes) => [...scopes])),
  scopesByWorkspace,
});

/** What the caller may do in a workspace. */
export function findScopes(caller: Caller, workspaceid: string): ReadonlySet<Permission> {
  const { scopes, scopesByWorkspace } = caller;
  if (!mayUseWorkspace(caller, workspaceid)) return new Set();
  return scopesByWorkspace ? (scopesByWorkspace.get(workspaceid) ?? new Set()) : scopes;
}

/** In a workspace if one is named, else in at least one. */
export function requirePermission(caller: Caller, needed: Permission, workspaceid?: string): void {
  const scopes = workspaceid === undefined ? caller.scopes : findScopes(caller, workspaceid);
  if (scopes.has(needed)) return;
  requireScope(caller, needed);
  const where = workspaceid === undefined || !caller.scopes.has(needed) ? '' : ' in this workspace';
  throw new ServiceError('permission_denied', {
    detail: `The credentials lack the permission ${needed}${where}.`,
  });
}

/** The caller with only those of its workspaces in which it has the permission, or else the other one. */
export function narrowToPermission(caller: Caller, preferred: Permission, other?: Permission): Caller {
  const needed = other && !caller.scopes.has(preferred) && caller.scopes.has(other) ? other : preferred;
  requirePermission(caller, needed);
  if (!caller.scopesByWorkspace) return caller;
  const having = [...caller.scopesByWorkspace].filter(([, scopes]) => scopes.has(needed));
  return { ...caller, ...byWorkspace(new Map(having)) };
}

/** The caller with only what the other may do too. */
export function intersectCallers(caller: Caller, limit: Caller): Caller {
  const common = (one: ReadonlySet<Permission>, other: ReadonlySet<Permission>) =>
    new Set([...one].filter((scope) => other.has(scope)));
  const workspaces = intersectWorkspaces(caller.workspaces, limit.workspaces);
  if (workspaces === '*' || (!caller.scopesByWorkspace && !limit.scopesByWorkspace))
    return { ...caller, workspaces, scopes: common(caller.scopes, limit.scopes) };
  const each = [...workspaces].map(
    (id) => [id, common(findScopes(caller, id), findScopes(limit, id))] as const,
  );
  return { ...caller, ...byWorkspace(new Map(each)) };
}

function intersectWorkspaces(left: Caller['workspaces'], right: Caller['workspaces']): Caller['workspaces'] {
  if (left === '*') return right;
  return right === '*' ? left : new Set([...left].filter((workspace) => right.has(workspace)));
}

/**
 * Refuses an access token without the scope, if the client can get it. The challenge also names what the token has,
 * since clients replace one token by the next.
 */
export function requireScope({ token }: Caller, needed: OAuthScope): void {
  if (!token?.available.has(needed)) return;
  throw new ServiceError('insufficient_scope', {
    detail: `The access token lacks the scope ${needed}.`,
    scopes: oauthScopes.filter((scope) => scope === needed || token.granted.has(scope)),
  });
}

/** For what belongs to a person, and to no client that acts for them. */
export function refuseAccessToken({ token }: Caller): void {
  if (token)
    throw new ServiceError('permission_denied', {
      detail: 'Access tokens of OAuth clients cannot be used for this.',
    });
}

/** Answers alike for every workspace the key is not for, so it tells nothing about which ones exist. */
export function requireWorkspace(caller: Caller, workspaceid: string): void {
  if (mayUseWorkspace(caller, workspaceid)) return;
  throw new ServiceError('permission_denied', { detail: 'The credentials are not for this workspace.' });
}

export function mayUseWorkspace(caller: Caller, workspaceid: string): boolean {
  return caller.workspaces === '*' || caller.workspaces.has(workspaceid);
}

/** Whether all of the workspaces are the caller's. */
export const mayUseWorkspaces = (caller: Caller, workspaces: readonly string[] | '*'): boolean =>
  workspaces === '*'
    ? caller.workspaces === '*'
    : workspaces.every((workspace) => mayUseWorkspace(caller, workspace));

/** The permissions that the caller lacks in at least one of the workspaces. */
export function findLacking(
  caller: Caller,
  wanted: readonly Permission[],
  workspaces: readonly string[] | '*',
): Permission[] {
  const each = workspaces === '*' ? [caller.scopes] : workspaces.map((id) => findScopes(caller, id));
  return wanted.filter((permission) => each.some((scopes) => !scopes.has(permission)));
}
