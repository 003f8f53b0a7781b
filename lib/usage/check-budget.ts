// Whether the budgets of a run's organisation and workspace are exhausted. What was spent is added up every 30 s while
// models are called, by one process for all; the others see it at the latest 30 s later. Each start that an exhausted
// budget prevents, and each run that it ends, is counted once.
import { boundedMap } from '#lib/bounded-map.ts';
import type { Item } from '#lib/dynamo/items.ts';
import { ServiceError } from '#lib/errors.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { parseBudgets, readBudgets, type StoredBudgets, wholeOrganisation } from './budget-items.ts';
import { judge, toMonth } from './budget-state.ts';

export const budgetCheckMs = 30_000;

interface Noted {
  readonly budgets: StoredBudgets | undefined;
  /** Ms since 1970. */
  readonly at: number;
}

/** The budgets of organisations as this process last saw them. */
const noted = boundedMap<string, Noted>({ entriesMax: 1_000 });

/** For whoever has read the item of an organisation, or found none. */
export function noteBudgets(orgid: string, item: Item | undefined, now = Date.now()): void {
  noted.set(orgid, { budgets: parseBudgets(item), at: now });
}

/**
 * Takes no call: the item was read with what is to be started. Where it was not, the start is admitted, and its first
 * call of a model decides. Callers of other organisations do not learn whose budget it is.
 */
export function requireBudget(scope: WorkspaceScope, caller: Pick<WorkspaceScope, 'orgid'>): void {
  const reason = findBudgetStop(scope);
  if (!reason) return;
  countBudgetStop(scope);
  throw new ServiceError('budget_exhausted', caller.orgid === scope.orgid ? { detail: reason } : {});
}

/** Why nothing is to be started in a workspace now, for those who have no caller to answer. Undefined if nothing prevents it. */
export function findBudgetStop(scope: WorkspaceScope): string | undefined {
  const now = Date.now();
  const known = noted.get(scope.orgid);
  // What was read for something else and long ago would stay in force after the limit was raised.
  const budgets = known && now - known.at < budgetCheckMs ? known.budgets : undefined;
  return findExhausted(budgets, scope, now);
}

/** Call it once for each start that does not take place. */
export function countBudgetStop({ orgid, workspaceid }: WorkspaceScope): void {
  count('BudgetStops', { beside: { orgid, workspaceid } });
}

/** Throws `limit.budget`. Two calls at most, every 30 s; adding up takes more, where there are budgets. */
export async function requireModelBudget(scope: WorkspaceScope, now: number): Promise<void> {
  const budgets = await readCurrent(scope.orgid, now);
  const reason = findExhausted(budgets, scope, now);
  if (!reason) return;
  countBudgetStop(scope);
  throw new NodeError('limit.budget', reason);
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

/** Says which budget stops the workspace; of two, that of the organisation. */
function findExhausted(
  stored: StoredBudgets | undefined,
  { workspaceid }: WorkspaceScope,
  now: number,
): string | undefined {
  if (stored?.month !== toMonth(now)) return undefined;
  const { budgets, spent } = stored;
  const isExhausted = (name: string) => {
    const budget = Object.hasOwn(budgets, name) ? budgets[name] : undefined;
    return budget?.stop && judge(budget, spent[name] ?? 0) === 'exhausted';
  };
  const whose = isExhausted(wholeOrganisation) ? 'organisation' : isExhausted(workspaceid) && 'workspace';
  if (!whose) return undefined;
  return `The budget of the ${whose} for this month is exhausted; an owner can raise it.`;
}
