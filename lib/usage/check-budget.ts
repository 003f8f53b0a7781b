// Whether the budgets of a run's organisation and workspace are exhausted. What was spent is added up every 30 s while
// models are called, by one process for all; the others see it at the latest 30 s later.
import { LRUCache } from 'lru-cache';
import type { Item } from '#lib/dynamo/items.ts';
import { ServiceError } from '#lib/errors.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import { parseBudgets, readBudgets, type StoredBudgets, wholeOrganisation } from './budget-items.ts';
import { judge, toMonth } from './budget-state.ts';

export const budgetCheckMs = 30_000;

interface Noted {
  readonly budgets: StoredBudgets | undefined;
  /** Ms since 1970. */
  readonly at: number;
}

/** The budgets of organisations as this process last saw them. */
const noted = new LRUCache<string, Noted>({ max: 1_000 });

/** For whoever has read the item of an organisation, or found none. */
export function noteBudgets(orgid: string, item: Item | undefined, now = Date.now()): void {
  noted.set(orgid, { budgets: parseBudgets(item), at: now });
}

/** Takes no call: the item was read with what is to be started. */
export function requireBudget(scope: WorkspaceScope, now = Date.now()): void {
  const whose = findExhausted(noted.get(scope.orgid)?.budgets, scope, now);
  if (whose) throw new ServiceError('budget_exhausted', { detail: describe(whose) });
}

/** Throws `limit.budget`. Two calls at most, every 30 s; adding up takes more, where there are budgets. */
export async function requireModelBudget(scope: WorkspaceScope, now: number): Promise<void> {
  const budgets = await readCurrent(scope.orgid, now);
  const whose = findExhausted(budgets, scope, now);
  if (whose) throw new NodeError('limit.budget', describe(whose));
}

/** What is known stays in force while the budgets cannot be read or added up: that ends no run. */
async function readCurrent(orgid: string, now: number): Promise<StoredBudgets | undefined> {
  const known = noted.get(orgid);
  let budgets = known?.budgets;
  try {
    if (!known || now - known.at >= budgetCheckMs) budgets = await readBudgets(orgid);
    if (budgets && now - budgets.checked_at >= budgetCheckMs)
      budgets = await (await import('./add-up-spent.ts')).addUpOnce(orgid, budgets, now);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    requestLog({ orgid }).error('the budgets cannot be checked', { reason });
  }
  noted.set(orgid, { budgets, at: now });
  return budgets;
}

/** The name of the first budget that stops the calls of a workspace. */
function findExhausted(
  budgets: StoredBudgets | undefined,
  { workspaceid }: WorkspaceScope,
  now: number,
): string | undefined {
  if (!budgets || budgets.month !== toMonth(now)) return undefined;
  return [wholeOrganisation, workspaceid].find((name) => {
    const budget = Object.hasOwn(budgets.budgets, name) ? budgets.budgets[name] : undefined;
    return budget?.stop && judge(budget, budgets.spent[name] ?? 0) === 'exhausted';
  });
}

const describe = (name: string): string =>
  `The budget of the ${name === wholeOrganisation ? 'organisation' : 'workspace'} for this month is exhausted; an owner can raise it.`;
