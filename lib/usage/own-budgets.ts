// The budgets that a caller may see and change: of its organisation, and of its workspaces.
import { type Caller, mayUseWorkspace, requireWorkspace } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { currency } from '#lib/model/usage.ts';
import { sumSpent, writeBudgets } from './add-up-spent.ts';
import type { Budget, BudgetBody } from './budget.ts';
import { budgetsKey, readBudgets, type StoredBudgets, wholeOrganisation } from './budget-items.ts';
import { judge, nanoPerDollar } from './budget-state.ts';
import { noteBudgets } from './check-budget.ts';
import { noteReached } from './reached.ts';
import { toDollars } from './usage-items.ts';

/** More would make an item that each trigger reads large. */
const budgetsMax = 100;

/** Adds up what was spent, so that the answer is of now. */
export async function listBudgets(caller: Caller, at: string): Promise<Budget[]> {
  const stored = await readBudgets(caller.orgid);
  const visible = Object.keys(stored?.budgets ?? {}).filter((name) =>
    name === wholeOrganisation ? caller.workspaces === '*' : mayUseWorkspace(caller, name),
  );
  if (!stored || visible.length === 0) return [];
  const month = at.slice(0, 7);
  const spent = await sumSpent(caller.orgid, visible, month);
  const reached = stored.month === month ? stored.reached : {};
  return visible.sort().flatMap((name) => toBudget(name, { ...stored, month, spent, reached }));
}

export async function setBudget(
  caller: Caller,
  workspaceid: string | undefined,
  body: BudgetBody,
  at: string,
): Promise<Budget> {
  const name = requireScope(caller, workspaceid);
  const { warn_percent, stop } = body;
  // As costs are stored; DynamoDB has no numbers as small as JSON has.
  const limit = Math.round(body.monthly_limit * nanoPerDollar) / nanoPerDollar;
  const after = await change(caller.orgid, at, (budgets) => {
    const all = { ...budgets, [name]: { limit, warn_percent, stop } };
    if (Object.keys(all).length <= budgetsMax) return all;
    const detail = `would be budget number ${budgetsMax + 1} of the organisation`;
    throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/workspaceid', detail }] });
  });
  const [made] = toBudget(name, after);
  if (made) return made;
  throw new ServiceError('internal', { cause: 'The budget that was stored is not there.' });
}

export async function deleteBudget(
  caller: Caller,
  workspaceid: string | undefined,
  at: string,
): Promise<void> {
  const name = requireScope(caller, workspaceid);
  await change(caller.orgid, at, (budgets) => {
    if (!Object.hasOwn(budgets, name)) throw new ServiceError('budget_not_found');
    return Object.fromEntries(Object.entries(budgets).filter(([each]) => each !== name));
  });
}

function requireScope(caller: Caller, workspaceid: string | undefined): string {
  if (workspaceid !== undefined) {
    requireWorkspace(caller, workspaceid);
    return workspaceid;
  }
  if (caller.workspaces === '*') return wholeOrganisation;
  const detail = 'Name a workspace: the budget of the organisation is for credentials for all workspaces.';
  throw new ServiceError('permission_denied', { detail });
}

type Budgets = StoredBudgets['budgets'];

async function change(
  orgid: string,
  at: string,
  edit: (budgets: Budgets) => Budgets,
): Promise<StoredBudgets> {
  const stored = await retryOnConflict(async () => {
    const before = await readBudgets(orgid);
    const budgets = edit(before?.budgets ?? {});
    const month = at.slice(0, 7);
    const spent = await sumSpent(orgid, Object.keys(budgets), month);
    const now = Date.parse(at);
    const reached = noteReached(before, { budgets, month, spent }, now);
    const after = { budgets, month, spent, checked_at: now, reached };
    const isWritten = await writeBudgets(orgid, before, after);
    return isWritten ? { ...after, version: (before?.version ?? 0) + 1 } : undefined;
  });
  if (!stored) throw new ServiceError('dependency_unavailable', { cause: 'The budgets are contended.' });
  noteBudgets(orgid, { ...budgetsKey(orgid), ...stored });
  return stored;
}

function toBudget(name: string, { budgets, month, spent, reached }: StoredBudgets): Budget[] {
  const stored = Object.hasOwn(budgets, name) ? budgets[name] : undefined;
  if (!stored) return [];
  const { limit, warn_percent, stop } = stored;
  const nano = spent[name] ?? 0;
  return [
    {
      ...(name !== wholeOrganisation && { workspaceid: name }),
      monthly_limit: limit,
      warn_percent,
      stop,
      month,
      spent: toDollars(nano),
      currency,
      ...describeState(judge(stored, nano), (Object.hasOwn(reached, name) && reached[name]) || {}),
    },
  ];
}

/** What was reached since it was last added up has no time yet. */
function describeState(
  state: Budget['state'],
  { warning, exhausted }: Readonly<Partial<Record<string, number>>>,
): Pick<Budget, 'state' | 'warning_since' | 'exhausted_since'> {
  return {
    state,
    ...(state !== 'ok' && warning !== undefined && { warning_since: toIso(warning) }),
    ...(state === 'exhausted' && exhausted !== undefined && { exhausted_since: toIso(exhausted) }),
  };
}

const toIso = (ms: number): string => new Date(ms).toISOString();
