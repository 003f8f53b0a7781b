// The requests about usage and budgets whose AWS calls docs/aws-calls.md counts.
import type { Case } from './call-cost.ts';
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';

const putBudget = ({ key }: TestCaller) => call('setBudget', { key, body: { monthly_limit: 1 } });

export const usageCases: Readonly<Record<string, Case>> = {
  'usage: one month of a workspace': {
    operation: 'listUsage',
    prepare: async ({ workspaceid }) => ({ query: { workspaceid } }),
  },
  'budgets: list': {
    operation: 'listBudgets',
    prepare: async (caller) => {
      await putBudget(caller);
      return {};
    },
  },
  'budgets: set': { operation: 'setBudget', prepare: async () => ({ body: { monthly_limit: 1 } }) },
  'budgets: delete': {
    operation: 'deleteBudget',
    prepare: async (caller) => {
      await putBudget(caller);
      return {};
    },
  },
};
