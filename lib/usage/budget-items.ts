// The budgets of an organisation: one item of the control table, which is read together with what a trigger starts, so
// that checking them takes no call. It also has what was spent when it was last added up, and which budgets are exhausted.
import * as z from 'zod';
import { controlTable, runsTable } from '#lib/dynamo/client.ts';
import { getItem, type Item, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { usagePartition } from './usage-items.ts';

/** The budget of the organisation has the name `*`, others that of their workspace. */
export const wholeOrganisation = '*';

const storedBudget = z.object({ limit: z.number(), warn_percent: z.number(), stop: z.boolean() });
export type StoredBudget = z.infer<typeof storedBudget>;

export const storedBudgets = z.object({
  version: z.number(),
  budgets: z.record(z.string(), storedBudget),
  /** The month of `spent`. */
  month: z.string(),
  /** Ms since 1970 at which a process last began to add up. */
  checked_at: z.number(),
  /** Billionths of a dollar, by budget. */
  spent: z.record(z.string(), z.number()),
});
export type StoredBudgets = z.infer<typeof storedBudgets>;

export const budgetsKey = (orgid: string) => ({ pk: `BUDGET#${orgid}`, sk: 'BUDGETS' });

export const parseBudgets = (item: Item | undefined): StoredBudgets | undefined =>
  item && storedBudgets.parse(item);

export const readBudgets = async (orgid: string): Promise<StoredBudgets | undefined> =>
  parseBudgets(await getItem(controlTable, budgetsKey(orgid)));

/** False if they were changed since they were read. */
export async function writeBudgets(
  orgid: string,
  before: StoredBudgets | undefined,
  after: Omit<StoredBudgets, 'version'>,
): Promise<boolean> {
  const { budgets, month, checked_at, spent } = after;
  return await updateItemIf(controlTable, budgetsKey(orgid), {
    UpdateExpression:
      'SET version = :next, budgets = :budgets, #month = :month, checked_at = :checked, spent = :spent',
    ConditionExpression: before ? 'version = :seen' : 'attribute_not_exists(pk)',
    ExpressionAttributeNames: { '#month': 'month' },
    ExpressionAttributeValues: {
      ':next': (before?.version ?? 0) + 1,
      ':budgets': budgets,
      ':month': month,
      ':checked': checked_at,
      ':spent': spent,
      ...(before && { ':seen': before.version }),
    },
  });
}

/** One process at a time adds up. False if another one does. */
export const claimCheck = async (orgid: string, seen: StoredBudgets, now: number): Promise<boolean> =>
  await updateItemIf(controlTable, budgetsKey(orgid), {
    UpdateExpression: 'SET checked_at = :now',
    ConditionExpression: 'version = :seen AND checked_at = :last',
    ExpressionAttributeValues: { ':now': now, ':seen': seen.version, ':last': seen.checked_at },
  });

const cost = z.object({ cost_nano: z.number() });

/** Of a workspace in a month, in billionths of a dollar: one call for each megabyte of counters. */
export async function sumCost(orgid: string, workspaceid: string, month: string): Promise<number> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk',
    ProjectionExpression: 'cost_nano',
    ExpressionAttributeValues: { ':pk': usagePartition({ orgid, workspaceid }, month) },
  });
  return items.reduce((sum, item) => sum + cost.parse(item).cost_nano, 0);
}
