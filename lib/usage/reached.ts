// Since when budgets are nearly used up or exhausted. Loaded by what adds up, and not with each function that runs flows.
import type { StoredBudgets } from './budget-items.ts';
import { judge } from './budget-state.ts';

type Judged = Pick<StoredBudgets, 'budgets' | 'month' | 'spent'>;

/** Since when each budget is in its state. What was reached before stays, as long as it is reached. */
export function noteReached(
  before: StoredBudgets | undefined,
  { budgets, month, spent }: Judged,
  now: number,
): StoredBudgets['reached'] {
  const known = before?.month === month ? before.reached : {};
  return Object.fromEntries(
    Object.entries(budgets).flatMap(([name, budget]) => {
      const state = judge(budget, spent[name] ?? 0);
      if (state === 'ok') return [];
      const { warning = now, exhausted = now } = (Object.hasOwn(known, name) && known[name]) || {};
      return [[name, { warning, ...(state === 'exhausted' && { exhausted }) }]];
    }),
  );
}
