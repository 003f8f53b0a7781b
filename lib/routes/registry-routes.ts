// Registry rows: the builds of flows.
import * as z from 'zod';
import { flowManifest } from '#lib/flow/definition/manifest-shape.ts';
import { pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { registryId, workspaceid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { createBody, registryRow, updateBody } from '#lib/registry/row/row.ts';
import { checkedRow } from './checked-row.ts';
import { flowPage, listQuery } from './registry-list.ts';

const path = z.strictObject({ a2aregistryid: registryId });
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const shared = { ...management, tag: 'Registry' } as const;

const readableRow = /* @__PURE__ */ z.lazy(() =>
  built(registryRow)
    .extend({
      manifest: flowManifest.optional().meta({
        description: 'Only with `flow=true`: the hosts, models and connections that the flow may use.',
      }),
    })
    .meta({ id: 'ReadableRegistryRow' }),
);

export const registryRoutes = {
  listRegistryRows: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/a2a-registry',
    entry: 'registry/list',
    summary: 'List registry rows of a workspace',
    description:
      'Follow `nextCursor` (or the `Link` header) for the next page. Filters combine, and repeated ' +
      'values are alternatives. A page is full unless it is the last, 4 MB large, or several ' +
      'filters have so little in common that 50 reads did not fill it; a word of `q` counts as a ' +
      'filter.',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    query: listQuery,
    response: {
      status: 200,
      description: 'One page of rows, without flow payloads; with `flow_list=true` one of flows.',
      schema: pageSchema(registryRow, 'RegistryPage'),
      alternative: flowPage,
    },
    errors: ['list_too_large'],
    uses: ['signingKey.publicKey', 'control.read'],
  }),

  getRegistryRow: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/a2a-registry/{a2aregistryid}',
    entry: 'registry/get',
    summary: 'Get one registry row',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    params: path,
    query: z.strictObject({
      flow: flag.optional().meta({ description: '`true` adds the decrypted flow and its manifest.' }),
    }),
    response: { status: 200, description: 'The row.', schema: readableRow },
    errors: ['row_not_found', 'payload_unreadable'],
    uses: ['signingKey.publicKey', 'control.read', 'flowKey.open'],
  }),

  createRegistryRow: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/a2a-registry',
    entry: 'registry/create',
    summary: 'Register a build of a flow',
    description: 'Checks the flow, encrypts it, signs its Agent Card and creates the row with status `test`.',
    permission: 'assistants.flows:create',
    requestHeaders: ['Idempotency-Key'],
    query: z.strictObject({ workspaceid }),
    body: createBody,
    bodyKind: 'build',
    takesYaml: true,
    response: { status: 201, description: 'The new row; `Location` names it.', schema: checkedRow },
    errors: ['invalid_flow', 'version_conflict'],
    uses: [
      'signingKey.publicKey',
      'control.read',
      'registry.write',
      'receipts.write',
      'flowKey.seal',
      'models.list',
    ],
  }),

  updateRegistryRow: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/a2a-registry/{a2aregistryid}',
    entry: 'registry/update',
    summary: 'Replace a registry row',
    description:
      'Replaces card, visibility, flow and configuration. Never moves flowid, workspaceid or orgid.',
    permission: 'assistants.flows:update',
    requestHeaders: ['If-Match'],
    params: path,
    body: updateBody,
    bodyKind: 'build',
    takesYaml: true,
    response: { status: 200, description: 'The updated row.', schema: checkedRow },
    errors: ['invalid_flow', 'row_not_found', 'version_conflict'],
    uses: ['signingKey.publicKey', 'control.read', 'registry.write', 'flowKey.seal', 'models.list'],
  }),

  deleteRegistryRow: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/a2a-registry/{a2aregistryid}',
    entry: 'registry/delete',
    summary: 'Delete a registry row',
    description: 'Deletes the build and its flow. Deleting the live build leaves the flow without one.',
    permission: 'assistants.flows:delete',
    requestHeaders: ['If-Match'],
    params: path,
    response: { status: 204, description: 'Deleted.' },
    errors: ['row_not_found', 'version_conflict'],
    uses: ['signingKey.publicKey', 'control.read', 'registry.write'],
  }),
} as const;
