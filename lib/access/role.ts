// The roles of members, and the permissions of each: the one table, which the documentation prints.
import * as z from 'zod';
import { workspaceid } from '#lib/ids.ts';
import { type Permission, permissions } from './permission.ts';

export const roles = ['owner', 'admin', 'builder', 'operator', 'viewer', 'caller'] as const;
export const role = z.enum(roles).meta({
  description: 'What a member may do in the organisation, or in a workspace.',
  example: 'builder',
});
export type Role = z.infer<typeof role>;

/** More would make an item, and the caller of each request, large. */
const roleWorkspacesMax = 50;

const expected = `must be {"*": role} for the whole organisation, or a role for each of 1 to ${roleWorkspacesMax} workspaces; roles are ${roles.join(', ')}`;

const inEachWorkspace = /* @__PURE__ */ z.lazy(() =>
  z
    .record(workspaceid, role)
    .refine(
      (given) => Object.keys(given).length > 0 && Object.keys(given).length <= roleWorkspacesMax,
      expected,
    )
    .meta({ minProperties: 1, maxProperties: roleWorkspacesMax }),
);

/** By workspace, or by `*` for the whole organisation. */
export const memberRoles = /* @__PURE__ */ z.lazy(() =>
  z.union([z.strictObject({ '*': role }, expected), inEachWorkspace], expected).meta({
    id: 'MemberRoles',
    description:
      'The role of a member in the whole organisation, under the name `*`, or the roles in single workspaces, by their ids.',
    example: { ws_demo: 'builder' },
  }),
);
export type MemberRoles = Readonly<Record<string, Role>>;

export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  owner: permissions,
  admin: permissions.filter(
    (permission) => permission !== 'apikeys:extend' && permission !== 'budgets:write',
  ),
  builder: [
    'assistants.flows:read',
    'assistants.flows:create',
    'assistants.flows:update',
    'assistants.flows:delete',
    'assistants.flows:run',
    'runs:inspect',
    'connections:write',
    'usage:read',
    'members:read',
  ],
  operator: [
    'assistants.flows:read',
    'assistants.flows:run',
    'connections:write',
    'apikeys:read',
    'audit:read',
    'usage:read',
    'members:read',
  ],
  viewer: ['assistants.flows:read', 'members:read'],
  caller: ['assistants.flows:run'],
};
