// Workspaces of an organisation.
import * as z from 'zod';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';
import { createWorkspaceBody, renameWorkspaceBody, workspace } from '#lib/workspace/workspace.ts';

const shared = { ...management, tag: 'Access' } as const;
const path = z.strictObject({ workspace_id: workspaceid });

export const workspaceRoutes = {
  listWorkspaces: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/workspaces',
    entry: 'workspace/list',
    audited: true,
    summary: 'List the workspaces of the caller',
    description:
      'By id; it takes no permission. Credentials for all workspaces list those that have a name; others list the workspaces that they are for.',
    query: z.strictObject({ limit: pageLimit('Workspaces'), cursor: pageCursor }),
    response: {
      status: 200,
      description: 'One page of workspaces.',
      schema: pageSchema(workspace, 'WorkspacePage'),
    },
    errors: [],
    uses: [],
  }),

  createWorkspace: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/workspaces',
    entry: 'workspace/create',
    summary: 'Create a workspace',
    description:
      'Or give a name to one that exists by its use alone. A new workspace takes credentials for all workspaces.',
    permission: 'workspaces:write',
    body: createWorkspaceBody,
    bodyKind: 'management',
    response: { status: 201, description: 'The workspace.', schema: workspace },
    errors: ['workspace_id_taken'],
    uses: ['workspaces.write'],
  }),

  getWorkspace: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/workspaces/{workspace_id}',
    entry: 'workspace/get',
    audited: true,
    summary: 'Get a workspace of the caller',
    description: 'It takes no permission.',
    requestHeaders: ['If-None-Match'],
    params: path,
    response: { status: 200, description: 'The workspace.', schema: workspace },
    errors: ['workspace_not_found'],
    uses: [],
  }),

  renameWorkspace: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/workspaces/{workspace_id}',
    entry: 'workspace/rename',
    summary: 'Rename a workspace',
    description: 'The id stays.',
    permission: 'workspaces:write',
    requestHeaders: ['If-Match'],
    params: path,
    body: renameWorkspaceBody,
    bodyKind: 'management',
    response: { status: 200, description: 'The workspace.', schema: workspace },
    errors: ['workspace_not_found', 'version_conflict'],
    uses: ['workspaces.write'],
  }),

  deleteWorkspace: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/workspaces/{workspace_id}',
    entry: 'workspace/delete',
    summary: 'Delete an empty workspace',
    description:
      'It is empty without agents, triggers, connections, settings of environments, signing secrets, and without API keys, members and open invitations that name it. Runs and audit records expire by themselves.',
    permission: 'workspaces:write',
    requestHeaders: ['If-Match'],
    params: path,
    response: { status: 204, description: 'Deleted.' },
    errors: ['workspace_not_found', 'workspace_not_empty', 'version_conflict'],
    uses: ['workspaces.write'],
  }),
} as const;
