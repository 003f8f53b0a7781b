import { endpoint } from '#lib/http/endpoint.ts';
import { budgetRoutes } from '#lib/routes/budget-routes.ts';
import { deleteBudget } from '#lib/usage/own-budgets.ts';

export const handler = endpoint(budgetRoutes.deleteBudget, async ({ caller, query, at }) => {
  await deleteBudget(caller, query.workspaceid, at);
  return { empty: true };
});
