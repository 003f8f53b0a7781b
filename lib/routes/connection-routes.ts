// Connections: the credentials that flows use, stored by those who own them.
import * as z from 'zod';
import { connection, connectionBody } from '#lib/connection/connection.ts';
import { triedConnection, tryBody } from '#lib/connection/try-connection.ts';
import { connectionScope } from '#lib/flow/format/connection.ts';
import { declaredName } from '#lib/flow/format/declaration.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';

const shared = { ...management, tag: 'Connections' } as const;
const path = z.strictObject({
  name: declaredName().meta({ description: 'The name that flows declare.', example: 'crm' }),
});

export const connectionRoutes = {
  putConnection: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/connections/{name}',
    entry: 'connection/put',
    summary: 'Store a connection',
    description:
      'Encrypts the credential and replaces the previous one with that name and scope. No response ' +
      'ever contains it. The next run of a flow uses it, and runs that wait for it continue. For a role of AWS, ' +
      'the response has the external id that the trust policy of the role must require.',
    permission: 'connections:write',
    params: path,
    query: z.strictObject({ workspaceid }),
    body: connectionBody,
    bodyKind: 'management',
    response: { status: 200, description: 'The connection, without its credential.', schema: connection },
    errors: [],
    uses: ['flowKey.seal', 'cursorKey.derive', 'connections.write', 'waiting.take', 'runQueue.send'],
  }),

  listConnections: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/connections',
    otherMethods: 'byFunction',
    entry: 'connection/list',
    summary: 'List connections of a workspace',
    description:
      'The connections of the organisation by name, then the caller’s own by name. A page is ' +
      'shorter than its limit if it is the last or has reached 4 MB. Credentials are not returned.',
    permission: 'assistants.flows:read',
    query: z.strictObject({
      workspaceid,
      limit: pageLimit('Connections', 100),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description: 'One page of connections.',
      schema: pageSchema(connection, 'ConnectionList'),
    },
    errors: [],
    uses: [],
  }),

  deleteConnection: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/connections/{name}',
    entry: 'connection/delete',
    summary: 'Delete a connection',
    description:
      'A run in progress may use the connection until it ends, or until a token of a user must be refreshed.',
    permission: 'connections:write',
    params: path,
    query: z.strictObject({
      workspaceid,
      scope: connectionScope.optional().meta({ description: 'Default: organization.' }),
    }),
    response: { status: 204, description: 'Deleted.' },
    errors: ['connection_not_found'],
    uses: ['connections.write'],
  }),

  tryConnection: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/connections/{name}/try',
    otherMethods: 'byFunction',
    entry: 'connection/try',
    summary: 'Try a connection',
    description:
      'Sends one request with its credential to a host that it is for, as a flow would, and tells with which status the ' +
      'host has answered, or why it has not: never more of the answer. Redirects are not followed. The request has no ' +
      'body. A token that has expired is fetched anew, and a role of AWS is assumed.',
    permission: 'connections:write',
    params: path,
    query: z.strictObject({ workspaceid }),
    body: tryBody,
    bodyKind: 'management',
    response: { status: 200, description: 'What the host has answered.', schema: triedConnection },
    errors: ['connection_not_found'],
    uses: ['flowKey.open', 'cursorKey.derive', 'connections.refresh', 'roles.assume', 'callbacks.call'],
  }),
} as const;
