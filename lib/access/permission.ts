// The permissions a credential may carry, and the question whether it carries one.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import type { Caller } from './caller.ts';

export const permissions = [
  'assistants.flows:read',
  'assistants.flows:create',
  'assistants.flows:update',
  'assistants.flows:delete',
  'assistants.flows:run',
  'apikeys:read',
  'apikeys:create',
  'apikeys:delete',
  'apikeys:extend',
  'connections:write',
  'audit:read',
] as const;
export const permission = z.enum(permissions);
export type Permission = z.infer<typeof permission>;

export function requirePermission(caller: Caller, needed: Permission): void {
  if (caller.scopes.has(needed)) return;
  throw new ServiceError('permission_denied', { detail: `The credentials lack the permission ${needed}.` });
}

/** Answers alike for every workspace the key is not for, so it tells nothing about which ones exist. */
export function requireWorkspace(caller: Caller, workspaceid: string): void {
  caller.onWorkspace?.(workspaceid);
  if (mayUseWorkspace(caller, workspaceid)) return;
  throw new ServiceError('permission_denied', { detail: 'The credentials are not for this workspace.' });
}

export function mayUseWorkspace(caller: Caller, workspaceid: string): boolean {
  return caller.workspaces === '*' || caller.workspaces.has(workspaceid);
}
