// What a sum means for a budget.
import type { Budget } from './budget.ts';
import type { StoredBudget } from './budget-items.ts';

/** Costs are kept in billionths. */
export const nanoPerDollar = 1_000_000_000;

/** The month of a time in ms since 1970, such as `2026-11`, in UTC. */
export const toMonth = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

export function judge({ limit, warn_percent }: StoredBudget, spentNano: number): Budget['state'] {
  const share = spentNano / nanoPerDollar / limit;
  if (limit === 0 || share >= 1) return 'exhausted';
  return share * 100 >= warn_percent ? 'warning' : 'ok';
}
