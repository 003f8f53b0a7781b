import { endpoint } from '#lib/http/endpoint.ts';
import { budgetRoutes } from '#lib/routes/budget-routes.ts';
import { listBudgets } from '#lib/usage/own-budgets.ts';

export const handler = endpoint(budgetRoutes.listBudgets, async ({ caller, at }) => ({
  json: { items: await listBudgets(caller, at) },
}));
