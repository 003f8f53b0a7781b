// Environments: which build each runs, and the variables that flows see there.
import * as z from 'zod';
import { environment, environmentBody, environmentSettings } from '#lib/environment/environment.ts';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';

const path = z.strictObject({ environment });
const query = z.strictObject({ workspaceid });
const shared = { ...management, tag: 'Automation', query } as const;

export const environmentRoutes = {
  listEnvironments: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/environments',
    entry: 'environment/list',
    summary: 'List the environments of a workspace for which something is set',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    response: {
      status: 200,
      description: 'Their settings.',
      schema: z.strictObject({ items: z.array(environmentSettings) }).meta({ id: 'EnvironmentList' }),
    },
    errors: [],
    uses: ['control.read'],
  }),

  getEnvironment: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/environments/{environment}',
    entry: 'environment/get',
    summary: 'Get what is set for an environment',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    params: path,
    response: { status: 200, description: 'The settings.', schema: environmentSettings },
    errors: ['environment_not_found'],
    uses: ['control.read'],
  }),

  setEnvironment: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/environments/{environment}',
    entry: 'environment/set',
    summary: 'Set the pinned builds and the variables of an environment',
    description:
      'Replaces all that was set before, and counts for every run that starts from then on. Promotion is not affected, so `live` pins nothing.',
    permission: 'assistants.flows:update',
    requestHeaders: ['If-Match'],
    params: path,
    body: environmentBody,
    bodyKind: 'management',
    response: { status: 200, description: 'The settings.', schema: environmentSettings },
    errors: ['version_conflict'],
    uses: ['control.read', 'environments.write'],
  }),

  deleteEnvironment: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/environments/{environment}',
    entry: 'environment/delete',
    summary: 'Forget what is set for an environment',
    description: 'The environment itself stays: it runs its default build, without variables of its own.',
    permission: 'assistants.flows:delete',
    requestHeaders: ['If-Match'],
    params: path,
    response: { status: 204, description: 'Forgotten.' },
    errors: ['environment_not_found', 'version_conflict'],
    uses: ['control.read', 'environments.write'],
  }),
} as const;
