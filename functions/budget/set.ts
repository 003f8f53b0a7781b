import { endpoint } from '#lib/http/endpoint.ts';
import { budgetRoutes } from '#lib/routes/budget-routes.ts';
import { setBudget } from '#lib/usage/own-budgets.ts';

export const handler = endpoint(budgetRoutes.setBudget, async ({ caller, query, body, at }) => ({
  json: await setBudget(caller, query.workspaceid, body, at),
}));
