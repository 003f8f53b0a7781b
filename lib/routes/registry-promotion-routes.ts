// From a build to the live build and back: its tests, what a promotion would change, the promotion, the
// rollback, and the history of the changes.
import * as z from 'zod';
import { limits } from '#lib/flow/format/limits.ts';
import { testReport } from '#lib/flow/testing/report.ts';
import { pageCursor, pageLimit } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { registryId } from '#lib/ids.ts';
import { buildDiff } from '#lib/registry/diff/build-diff.ts';
import { historyPage } from '#lib/registry/history/entry.ts';
import { liveRegistryRow } from '#lib/registry/row/row.ts';

const path = z.strictObject({ a2aregistryid: registryId });
const shared = { ...management, tag: 'Registry' } as const;

export const registryPromotionRoutes = {
  testRegistryRow: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/a2a-registry/{a2aregistryid}/test',
    otherMethods: 'byFunction',
    entry: 'registry/test',
    summary: 'Run the tests of a build',
    description:
      `Runs the \`tests\` of the flow, within ${limits.testsMs / 1000} s. No request leaves the ` +
      'service: a node that would call a model, an API or another agent needs a mock. Also needs ' +
      `the permission \`assistants.flows:run\`, since it executes the flow. No request body.`,
    permission: 'assistants.flows:read',
    params: path,
    response: { status: 200, description: 'The result of each test.', schema: testReport },
    errors: ['row_not_found', 'payload_unreadable'],
    uses: ['signingKey.publicKey', 'control.read', 'flowKey.open', 'code.evaluate'],
  }),

  diffRegistryRow: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/a2a-registry/{a2aregistryid}/diff',
    otherMethods: 'byFunction',
    entry: 'registry/diff',
    summary: 'Show what a promotion would change',
    description:
      'Compares the row with the live build of its flow, or with another row, and marks changes that may break callers.',
    permission: 'assistants.flows:read',
    params: path,
    query: z.strictObject({
      against: z
        .union([z.literal('live'), registryId], 'must be "live" or a registry id')
        .optional()
        .meta({ description: 'The row to compare with. Default: live.' }),
    }),
    response: { status: 200, description: 'The differences.', schema: buildDiff },
    errors: ['row_not_found', 'payload_unreadable'],
    uses: ['signingKey.publicKey', 'control.read', 'flowKey.open'],
  }),

  promoteRegistryRow: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/a2a-registry/{a2aregistryid}/promote-live',
    otherMethods: 'byFunction',
    entry: 'registry/promote-live',
    summary: 'Promote a build to live',
    description:
      'In one transaction the row becomes live and the former live row of the flow returns to test. Idempotent; no request body.',
    permission: 'assistants.flows:update',
    requestHeaders: ['If-Match'],
    params: path,
    query: z.strictObject({
      expected_live: z
        .union([registryId, z.literal('none')], 'must be a registry id or "none"')
        .optional()
        .meta({
          description:
            'The row that must be live now; otherwise 409 `promotion_conflict` names the live row. Ignored when the row is live already.',
        }),
    }),
    response: { status: 200, description: 'The row, live.', schema: liveRegistryRow },
    errors: ['row_not_found', 'promotion_conflict'],
    uses: ['signingKey.publicKey', 'control.read', 'registry.write'],
  }),

  rollBackRegistryRow: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/a2a-registry/{a2aregistryid}/rollback',
    otherMethods: 'byFunction',
    entry: 'registry/rollback',
    summary: 'Bring back the build that was live before',
    description:
      'The row must be live. In one transaction it returns to test, and the build that was live ' +
      'before it becomes live again. No request body.',
    permission: 'assistants.flows:update',
    params: path,
    requestHeaders: ['If-Match'],
    response: { status: 200, description: 'The row that is live now.', schema: liveRegistryRow },
    errors: ['row_not_found', 'row_not_live', 'no_former_build', 'promotion_conflict'],
    uses: ['signingKey.publicKey', 'control.read', 'registry.write'],
  }),

  getRegistryRowHistory: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/a2a-registry/{a2aregistryid}/history',
    otherMethods: 'byFunction',
    entry: 'registry/history',
    summary: 'List the changes of a registry row',
    description:
      'The changes of the row, newest first: by whom, when, which members, and from which status to' +
      ' which. Follow `nextCursor` (or the `Link` header) for older ones.',
    permission: 'assistants.flows:read',
    params: path,
    query: z.strictObject({
      limit: pageLimit('Changes'),
      cursor: pageCursor,
    }),
    response: { status: 200, description: 'One page of changes.', schema: historyPage },
    errors: ['row_not_found'],
    uses: ['signingKey.publicKey', 'control.read'],
  }),
} as const;
