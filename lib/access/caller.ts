// Who is calling, taken from verified credentials only. Every query is keyed by it.
import { ServiceError } from '#lib/errors.ts';
import type { Permission } from './permission.ts';

export interface Caller {
  /** The principal: the id of the API key. */
  readonly id: string;
  readonly orgid: string;
  /** Workspaces of that organisation; '*' is all of them. */
  readonly workspaces: ReadonlySet<string> | '*';
  readonly scopes: ReadonlySet<Permission>;
  /**
   * When the credential ends, in seconds since 1970; none for a caller that acts without one, as a schedule
   * does.
   */
  readonly expiresAt?: number;
}

export function requirePermission(caller: Caller, needed: Permission): void {
  if (caller.scopes.has(needed)) return;
  throw new ServiceError('permission_denied', { detail: `The credentials lack the permission ${needed}.` });
}

/** Answers alike for every workspace the key is not for, so it tells nothing about which ones exist. */
export function requireWorkspace(caller: Caller, workspaceid: string): void {
  if (mayUseWorkspace(caller, workspaceid)) return;
  throw new ServiceError('permission_denied', { detail: 'The credentials are not for this workspace.' });
}

export function mayUseWorkspace(caller: Caller, workspaceid: string): boolean {
  return caller.workspaces === '*' || caller.workspaces.has(workspaceid);
}
