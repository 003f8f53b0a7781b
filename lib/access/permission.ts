// The permissions that a credential can have.
import * as z from 'zod';

export const permissions = [
  'assistants.flows:read',
  'assistants.flows:create',
  'assistants.flows:update',
  'assistants.flows:delete',
  'assistants.flows:run',
  'runs:inspect',
  'apikeys:read',
  'apikeys:create',
  'apikeys:delete',
  'apikeys:extend',
  'connections:write',
  'audit:read',
  'usage:read',
  'budgets:write',
  'members:read',
  'members:write',
  'workspaces:write',
] as const;
export const permission = z.enum(permissions);
export type Permission = z.infer<typeof permission>;
