// What models have used.
import * as z from 'zod';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';
import { usageDaysMax, usageMonthDaysMax } from '#lib/usage/read.ts';
import { usageGroup, usagePeriod, usageRow } from '#lib/usage/usage.ts';

const day = z.iso.date('must be a day such as 2026-11-28');

export const usageRoutes = {
  listUsage: route({
    ...management,
    tag: 'Access',
    method: 'GET',
    path: '/api/v1/usage',
    otherMethods: 'byFunction',
    entry: 'usage/list',
    summary: 'Read what models have used',
    description:
      'The calls and tokens of models, and what they cost by the prices of the tenant, by day or month in UTC, oldest first: of a ' +
      'workspace or, without `workspaceid`, of all workspaces that the credentials are for. A call counts once its run has ' +
      'recorded it, which is within seconds, and on that day. Figures are kept for thirteen months. Periods without calls are left out.',
    permission: 'usage:read',
    query: z.strictObject({
      workspaceid: workspaceid.optional(),
      from: day.optional().meta({
        description: `The first day; the first of the month of \`to\` unless given. With \`to\`, ${usageDaysMax} days at most, or ${usageMonthDaysMax} by month.`,
      }),
      to: day.optional().meta({ description: 'The last day, included. Default: today.' }),
      by: usagePeriod.optional().meta({ description: 'Default: day.' }),
      group: usageGroup.optional().meta({
        description: 'Splits the figures of a period. Without it, a period has one row.',
      }),
      limit: pageLimit('Rows'),
      cursor: pageCursor,
    }),
    response: { status: 200, description: 'One page of rows.', schema: pageSchema(usageRow, 'UsagePage') },
    errors: [],
    uses: ['usage.read'],
  }),
} as const;
