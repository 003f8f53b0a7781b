// Environments: which build each runs, and the variables that flows see there.
import * as z from 'zod';
import { environment } from '#lib/environment/environment.ts';
import { environmentBody, environmentSettings, environmentWithState } from '#lib/environment/settings.ts';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';
import { triedTelemetry, tryTelemetryBody } from '#lib/telemetry/try-sink.ts';

const path = z.strictObject({ environment });
const query = z.strictObject({ workspaceid });
const shared = { ...management, tag: 'Automation', query } as const;

export const environmentRoutes = {
  listEnvironments: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/environments',
    otherMethods: 'byFunction',
    entry: 'environment/list',
    summary: 'List the environments of a workspace that have settings',
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
    summary: 'Get the settings of an environment',
    description:
      'With `telemetry`, what became of the runs that were exported too; such an answer is never 304.',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    params: path,
    response: { status: 200, description: 'The settings.', schema: environmentWithState },
    errors: ['environment_not_found'],
    uses: ['control.read'],
  }),

  setEnvironment: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/environments/{environment}',
    entry: 'environment/set',
    summary: 'Set the pinned builds, the variables and the telemetry of an environment',
    description:
      'Replaces all former settings, and applies to every run that starts afterwards. An event that was accepted before may start without the change for another second. Promotion is not affected, so `live` pins no build.',
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
    summary: 'Delete the settings of an environment',
    description: 'The environment itself remains: it runs its default build, without variables.',
    permission: 'assistants.flows:delete',
    requestHeaders: ['If-Match'],
    params: path,
    response: { status: 204, description: 'Deleted.' },
    errors: ['environment_not_found', 'version_conflict'],
    uses: ['control.read', 'environments.write'],
  }),

  tryTelemetry: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/environments/{environment}/telemetry/try',
    otherMethods: 'byFunction',
    entry: 'environment/try-telemetry',
    summary: 'Send a test span to the telemetry of an environment',
    description:
      'Sends one span named `test of telemetry` to the sink of the environment, or to the one in the body, as the export ' +
      'of a run would, and tells what the endpoint has answered, or why it has not. Redirects are not followed, nothing is ' +
      'sent again, and `telemetry_state` remains as it is.',
    permission: 'assistants.flows:update',
    params: path,
    body: tryTelemetryBody,
    bodyKind: 'management',
    response: { status: 200, description: 'What the endpoint has answered.', schema: triedTelemetry },
    errors: [],
    uses: [
      'control.read',
      'flowKey.open',
      'cursorKey.derive',
      'connections.refresh',
      'roles.assume',
      'callbacks.call',
    ],
  }),
} as const;
