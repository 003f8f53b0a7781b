// The budgets of an organisation: one item of the control table, which is read together with what a trigger starts, so
// that checking them takes no call. It also has what was spent when it was last added up, and which budgets are exhausted.
import * as z from 'zod';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem, type Item } from '#lib/dynamo/items.ts';

/** The budget of the organisation has the name `*`, others that of their workspace. */
export const wholeOrganisation = '*';

const storedBudget = /* @__PURE__ */ z.lazy(() =>
  z.object({ limit: z.number(), warn_percent: z.number(), stop: z.boolean() }),
);
export type StoredBudget = z.infer<typeof storedBudget>;

export const storedBudgets = /* @__PURE__ */ z.lazy(() =>
  z.object({
    version: z.number(),
    budgets: z.record(z.string(), storedBudget),
    /** The month of `spent`. */
    month: z.string(),
    /** Ms since 1970 at which a process last began to add up. */
    checked_at: z.number(),
    /** Billionths of a dollar, by budget. */
    spent: z.record(z.string(), z.number()),
    /** Ms since 1970 at which it was first seen in `month` that a budget had reached a state; by budget and state. */
    reached: z.record(z.string(), z.record(z.string(), z.number())).default({}),
  }),
);
export type StoredBudgets = z.infer<typeof storedBudgets>;

export const budgetsKey = (orgid: string) => ({ pk: `BUDGET#${orgid}`, sk: 'BUDGETS' });

export const parseBudgets = (item: Item | undefined): StoredBudgets | undefined =>
  item && storedBudgets.parse(item);

export const readBudgets = async (orgid: string): Promise<StoredBudgets | undefined> =>
  parseBudgets(await getItem(controlTable, budgetsKey(orgid)));
