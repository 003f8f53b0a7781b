// The audit trail.
import * as z from 'zod';
import { auditRecord } from '#lib/audit/audit-record.ts';
import { auditDaysMax } from '#lib/audit/read.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';

const time = z.iso.datetime('must be a time such as 2027-01-31T00:00:00Z');

export const auditRoutes = {
  listAudit: route({
    ...management,
    tag: 'Access',
    method: 'GET',
    path: '/api/v1/audit',
    otherMethods: 'byFunction',
    entry: 'audit/list',
    auditName: 'access/list-audit',
    summary: 'Read the audit trail',
    description: [
      'Requests that changed something or were denied, newest first: those of a workspace, or ' +
        'without `workspaceid` those of the organisation as a whole,',
      'which need credentials for all workspaces. A request appears within seconds of its answer.',
    ].join(' '),
    permission: 'audit:read',
    query: z.strictObject({
      workspaceid: workspaceid.optional(),
      from: time.optional().meta({ description: `${auditDaysMax} days before \`to\` at most; default 7.` }),
      to: time.optional().meta({ description: 'Default: now.' }),
      limit: pageLimit('Records'),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description: 'One page of records.',
      schema: pageSchema(auditRecord, 'AuditPage'),
    },
    errors: [],
    uses: ['runs.read'],
  }),
} as const;
