// Adds up what the models of an organisation have cost in a month, for its budgets. Loaded by functions that run flows only
// where there are budgets.
import * as z from 'zod';
import { controlTable, runsTable } from '#lib/dynamo/client.ts';
import { updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { count } from '#lib/metrics.ts';
import { budgetsKey, type StoredBudgets, wholeOrganisation } from './budget-items.ts';
import { judge, toMonth } from './budget-state.ts';
import { noteReached } from './reached.ts';
import { usagePartition } from './usage-items.ts';
import { queryUsedWorkspaces } from './usage-queries.ts';

/** Of several processes that want to add up, one does. */
export const addUpOnce = async (
  orgid: string,
  budgets: StoredBudgets,
  now: number,
): Promise<StoredBudgets> =>
  (await claimCheck(orgid, budgets, now)) ? await addUp(orgid, budgets, now) : budgets;

/** A change of the budgets in between adds up itself. */
async function addUp(orgid: string, before: StoredBudgets, now: number): Promise<StoredBudgets> {
  const month = toMonth(now);
  const spent = await sumSpent(orgid, Object.keys(before.budgets), month);
  const reached = noteReached(before, { ...before, month, spent }, now);
  const after = { ...before, month, spent, checked_at: now, reached };
  if (!(await writeBudgets(orgid, before, after))) return before;
  report(orgid, before, after);
  return { ...after, version: before.version + 1 };
}

/** By budget. */
export async function sumSpent(
  orgid: string,
  names: readonly string[],
  month: string,
): Promise<Record<string, number>> {
  const used = await queryUsedWorkspaces(orgid, month);
  const wanted = names.includes(wholeOrganisation) ? used : used.filter((id) => names.includes(id));
  const sums = new Map<string, number>();
  for (const id of wanted) sums.set(id, await sumCost(orgid, id, month));
  const all = [...sums.values()].reduce((total, each) => total + each, 0);
  return Object.fromEntries(
    names.map((name) => [name, name === wholeOrganisation ? all : (sums.get(name) ?? 0)]),
  );
}

/** For operators, once for each change of the state; the line of the metric is also that of the log. */
function report(orgid: string, before: StoredBudgets, after: Omit<StoredBudgets, 'version'>): void {
  for (const [name, budget] of Object.entries(after.budgets)) {
    const formerly = before.month === after.month ? judge(budget, before.spent[name] ?? 0) : 'ok';
    const state = judge(budget, after.spent[name] ?? 0);
    if (state !== 'ok' && state !== formerly)
      count('BudgetStates', {
        dimensions: { state },
        beside: { message: 'the state of a budget has changed', orgid, budget: name },
      });
  }
}

/** False if they were changed since they were read. */
export async function writeBudgets(
  orgid: string,
  before: StoredBudgets | undefined,
  after: Omit<StoredBudgets, 'version'>,
): Promise<boolean> {
  const { budgets, month, checked_at, spent, reached } = after;
  return await updateItemIf(controlTable, budgetsKey(orgid), {
    UpdateExpression:
      'SET version = :next, budgets = :budgets, #month = :month, checked_at = :checked, spent = :spent, reached = :reached',
    ConditionExpression: before ? 'version = :seen' : 'attribute_not_exists(pk)',
    ExpressionAttributeNames: { '#month': 'month' },
    ExpressionAttributeValues: {
      ':next': (before?.version ?? 0) + 1,
      ':budgets': budgets,
      ':month': month,
      ':checked': checked_at,
      ':spent': spent,
      ':reached': reached,
      ...(before && { ':seen': before.version }),
    },
  });
}

/** One process at a time adds up. False if another one does. */
const claimCheck = async (orgid: string, seen: StoredBudgets, now: number): Promise<boolean> =>
  await updateItemIf(controlTable, budgetsKey(orgid), {
    UpdateExpression: 'SET checked_at = :now',
    ConditionExpression: 'version = :seen AND checked_at = :last',
    ExpressionAttributeValues: { ':now': now, ':seen': seen.version, ':last': seen.checked_at },
  });

const cost = z.object({ cost_nano: z.number() });

/** Of a workspace in a month, in billionths of a dollar: one call for each megabyte of counters. */
async function sumCost(orgid: string, workspaceid: string, month: string): Promise<number> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk',
    ProjectionExpression: 'cost_nano',
    ExpressionAttributeValues: { ':pk': usagePartition({ orgid, workspaceid }, month) },
  });
  return items.reduce((sum, item) => sum + cost.parse(item).cost_nano, 0);
}
