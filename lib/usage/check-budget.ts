// Whether the budgets of a run's organisation and workspace are exhausted. What was spent is added up every 30 s while
// models are called, by one process for all; the others see it at the latest 30 s later.
import { LRUCache } from 'lru-cache';
import type { Item } from '#lib/dynamo/items.ts';
import { ServiceError } from '#lib/errors.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import type { Budget } from './budget.ts';
import {
  claimCheck,
  parseBudgets,
  readBudgets,
  type StoredBudget,
  type StoredBudgets,
  sumCost,
  wholeOrganisation,
  writeBudgets,
} from './budget-items.ts';
import { nanoPerDollar, queryUsedWorkspaces } from './usage-items.ts';

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

async function readCurrent(orgid: string, now: number): Promise<StoredBudgets | undefined> {
  const known = noted.get(orgid);
  const budgets = known && now - known.at < budgetCheckMs ? known.budgets : await readBudgets(orgid);
  const isDue = budgets && now - budgets.checked_at >= budgetCheckMs;
  const current =
    isDue && (await claimCheck(orgid, budgets, now)) ? await addUp(orgid, budgets, now) : budgets;
  noted.set(orgid, { budgets: current, at: now });
  return current;
}

/** A change of the budgets in between adds up itself. */
async function addUp(orgid: string, before: StoredBudgets, now: number): Promise<StoredBudgets> {
  const month = toMonth(now);
  const spent = await sumSpent(orgid, Object.keys(before.budgets), month);
  const after = { ...before, month, spent, checked_at: now };
  if (!(await writeBudgets(orgid, before, after))) return before;
  report(orgid, before, after);
  return { ...after, version: before.version + 1 };
}

export const toMonth = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

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

export function judge({ limit, warn_percent }: StoredBudget, spentNano: number): Budget['state'] {
  const share = spentNano / nanoPerDollar / limit;
  if (limit === 0 || share >= 1) return 'exhausted';
  return share * 100 >= warn_percent ? 'warning' : 'ok';
}

/** A line of the log for operators, once for each change of the state. */
function report(orgid: string, before: StoredBudgets, after: Omit<StoredBudgets, 'version'>): void {
  for (const [name, budget] of Object.entries(after.budgets)) {
    const formerly = before.month === after.month ? judge(budget, before.spent[name] ?? 0) : 'ok';
    const state = judge(budget, after.spent[name] ?? 0);
    if (state !== 'ok' && state !== formerly)
      requestLog({ orgid }).warn('the state of a budget has changed', { budget: name, state });
  }
}

const describe = (name: string): string =>
  `The budget of the ${name === wholeOrganisation ? 'organisation' : 'workspace'} for this month is exhausted; an owner can raise it.`;
