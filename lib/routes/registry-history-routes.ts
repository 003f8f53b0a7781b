// The registry management API, second part: what became of a build, what would become of it, whether it does
// what it should, and the way back.
import * as z from 'zod';
import { limits } from '#lib/flow/format/limits.ts';
import { testReport } from '#lib/flow/testing/report.ts';
import { pageLimit } from '#lib/http/page-limit.ts';
import { route } from '#lib/http/route.ts';
import { registryId } from '#lib/ids.ts';
import { buildDiff } from '#lib/registry/diff/build-diff.ts';
import { historyPage } from '#lib/registry/history/entry.ts';
import { liveRegistryRow } from '#lib/registry/live/live-row.ts';

const path = z.strictObject({ a2aregistryid: registryId });
const management = {
  tag: 'Registry',
  credentials: ['apiKey', 'bearer'],
  timeout: 'quick',
  transfer: 'buffered',
} as const;

export const registryHistoryRoutes = {
  getRegistryRowHistory: route({
    ...management,
    method: 'GET',
    path: '/api/v1/a2a-registry/{a2aregistryid}/history',
    entry: 'registry/history',
    summary: 'List the changes of a registry row',
    description:
      'Who changed the row, when, what, from which status to which; newest first. Follow `nextCursor` (or the `Link` header) for older ones.',
    permission: 'assistants.flows:read',
    params: path,
    query: z.strictObject({
      limit: pageLimit('Changes'),
      cursor: z.string().max(1024).optional(),
    }),
    response: { status: 200, description: 'One page of changes.', schema: historyPage },
    errors: ['row_not_found'],
    uses: ['signingKey.publicKey', 'control.read'],
  }),

  rollBackRegistryRow: route({
    ...management,
    method: 'POST',
    path: '/api/v1/a2a-registry/{a2aregistryid}/rollback',
    entry: 'registry/rollback',
    summary: 'Bring back the build that was live before',
    description:
      'The row named must be live. In one transaction it returns to test, and the build it was promoted over becomes live again. No request body.',
    permission: 'assistants.flows:update',
    params: path,
    requestHeaders: ['If-Match'],
    response: { status: 200, description: 'The row that is live now.', schema: liveRegistryRow },
    errors: ['row_not_found', 'row_not_live', 'no_former_build', 'promotion_conflict'],
    uses: ['signingKey.publicKey', 'control.read', 'registry.write'],
  }),

  diffRegistryRow: route({
    ...management,
    method: 'GET',
    path: '/api/v1/a2a-registry/{a2aregistryid}/diff',
    entry: 'registry/diff',
    summary: 'Show what a promotion would change',
    description:
      'Compares the row with the live build of its flow, or with another row, and marks what may break callers.',
    permission: 'assistants.flows:read',
    params: path,
    query: z.strictObject({
      against: z
        .union([z.literal('live'), registryId], 'must be "live" or a registry id')
        .optional()
        .meta({ description: 'What to compare with. Default: live.' }),
    }),
    response: { status: 200, description: 'What differs.', schema: buildDiff },
    errors: ['row_not_found', 'payload_unreadable'],
    uses: ['signingKey.publicKey', 'control.read', 'flowKey.open'],
  }),

  testRegistryRow: route({
    ...management,
    method: 'POST',
    path: '/api/v1/a2a-registry/{a2aregistryid}/test',
    entry: 'registry/test',
    summary: 'Run the tests of a build',
    description: `Runs the \`tests\` that the flow brings along, within ${limits.testsMs / 1000} s. Nothing leaves the service: a node that would call a model, an API or another agent needs a mock. Takes the permission \`assistants.flows:run\` besides, since it makes the service work. No request body.`,
    permission: 'assistants.flows:read',
    params: path,
    response: { status: 200, description: 'What became of each test.', schema: testReport },
    errors: ['row_not_found', 'payload_unreadable'],
    uses: ['signingKey.publicKey', 'control.read', 'flowKey.open'],
  }),
} as const;
