// What the models of a run have used, and what that costs by the prices of the tenant's catalog: an estimate,
// not a bill.

import type { ModelAnswer } from '#lib/flow/ports/model.ts';
import type { TenantModels } from '#lib/model/catalog.ts';

/** The tokens of one answer of a model. */
export interface Usage {
  /** As `provider/model`. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  /** US dollars; absent where the catalog has no price. */
  readonly cost?: number;
}

const perMillion = 1_000_000;

export function toUsage({ model, tokens }: ModelAnswer, { models }: Pick<TenantModels, 'models'>): Usage {
  const price = Object.values(models).find((entry) => `${entry.provider}/${entry.model}` === model)?.price;
  const cost = price && (tokens.input * price.input + tokens.output * price.output) / perMillion;
  return { model, ...tokens, ...(cost !== undefined && { cost }) };
}

/** ISO 4217. The prices of a tenant file have no other. */
export const currency = 'USD';

export interface UsageTotal {
  readonly tokens: { readonly input: number; readonly output: number };
  /** Null when any of the models has no price. */
  readonly cost_estimate: number | null;
  /** The currency of all prices in the tenant's catalog. */
  readonly currency: typeof currency;
}

export function totalUsage(all: readonly Usage[]): UsageTotal {
  const sum = (pick: (usage: Usage) => number) => all.reduce((total, usage) => total + pick(usage), 0);
  const isPriced = all.every(({ cost }) => cost !== undefined);
  return {
    tokens: { input: sum(({ input }) => input), output: sum(({ output }) => output) },
    // To a millionth of a cent: sums of fractions have long tails.
    cost_estimate: isPriced ? Number(sum(({ cost = 0 }) => cost).toFixed(8)) : null,
    currency,
  };
}
