// Budgets: how much models may cost in a month. Apart from usage, whose function needs none of their schemas.
import * as z from 'zod';
import { management, route } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';
import { budget, budgetBody, budgetList } from '#lib/usage/budget.ts';

const shared = { ...management, tag: 'Access', path: '/api/v1/budgets' } as const;
const scope = z.strictObject({
  workspaceid: workspaceid.optional().meta({
    description:
      'The workspace of the budget. Without it, the budget is that of the organisation, for credentials for all workspaces.',
  }),
});

export const budgetRoutes = {
  listBudgets: route({
    ...shared,
    method: 'GET',
    entry: 'budget/list',
    summary: 'List budgets',
    description:
      'What models may cost in a month, and what they have cost in this one: of the organisation, and of the workspaces that the credentials are for.',
    permission: 'usage:read',
    query: z.strictObject({}),
    response: { status: 200, description: 'At most 100 budgets.', schema: budgetList },
    errors: [],
    uses: ['usage.read'],
  }),

  setBudget: route({
    ...shared,
    method: 'PUT',
    entry: 'budget/set',
    summary: 'Set a budget',
    description:
      'Limits what models may cost in a month (UTC), by the prices of the tenant. When the limit of a budget with `stop` is reached, ' +
      'nothing is started any more: triggers, A2A, runs again and forks answer 429 `budget_exhausted`, schedules are skipped, and the runs of ' +
      'accepted webhooks end with `limit.budget`, as running ones do at their next call of a model. All within about a minute.',
    permission: 'budgets:write',
    query: scope,
    body: budgetBody,
    bodyKind: 'management',
    response: { status: 200, description: 'The budget, with what was spent this month.', schema: budget },
    errors: [],
    uses: ['usage.read', 'budgets.write'],
  }),

  deleteBudget: route({
    ...shared,
    method: 'DELETE',
    entry: 'budget/delete',
    summary: 'Delete a budget',
    permission: 'budgets:write',
    query: scope,
    response: { status: 204, description: 'Deleted.' },
    errors: ['budget_not_found'],
    uses: ['usage.read', 'budgets.write'],
  }),
} as const;
