// What the models of a run have used, and what that costs by the prices of the tenant's catalog: an estimate,
// not a bill.

import { type Tokens, toTokens } from '#lib/flow/format/tokens.ts';
import type { ModelAnswer } from '#lib/flow/ports/model.ts';
import type { ModelEntry, TenantModels } from '#lib/model/catalog.ts';

/** The tokens of one answer of a model. */
export interface Usage extends Tokens {
  /** As `provider/model`. */
  readonly model: string;
  /** US dollars; absent where the catalog has no price. */
  readonly cost?: number;
  /** The key of the execution that has called the model; absent in runs of earlier versions of the service. */
  readonly execution?: string;
  /** When it was called, in ms since 1970, and how long it took; absent in runs of earlier versions of the service. */
  readonly at?: number;
  readonly ms?: number;
  /** The attempt that has called it, if it is not the first. */
  readonly attempt?: number;
}

const perMillion = 1_000_000;

export type PricedAnswer = Pick<ModelAnswer, 'model' | 'tokens'>;

export function toUsage({ model, tokens }: PricedAnswer, { models }: Pick<TenantModels, 'models'>): Usage {
  const entry = Object.values(models).find(({ provider, model: id }) => `${provider}/${id}` === model);
  const cost = entry?.price && estimateCost(tokens, entry.price, cacheRatios(entry));
  return { model, ...tokens, ...(cost !== undefined && { cost }) };
}

function estimateCost(
  { input, output, cached = 0, cache_write = 0 }: Tokens,
  price: NonNullable<ModelEntry['price']>,
  ratios: CacheRatios,
): number {
  const { cached_input = price.input * ratios.read, cache_write: write = price.input * ratios.write } = price;
  const rest = Math.max(0, input - cached - cache_write);
  const all = rest * price.input + cached * cached_input + cache_write * write + output * price.output;
  return all / perMillion;
}

interface CacheRatios {
  readonly read: number;
  readonly write: number;
}

/**
 * The price of cached input in relation to other input, where the provider documents one ratio for its models: Anthropic
 * does, for entries of five minutes. Others count as input that is not cached, so the estimate is not too low.
 */
const cacheRatios = ({ provider, model }: ModelEntry): CacheRatios =>
  provider === 'bedrock' && /(^|[./])anthropic\./.test(model)
    ? { read: 0.1, write: 1.25 }
    : { read: 1, write: 1 };

/** ISO 4217. The prices of a tenant file have no other. */
export const currency = 'USD';

export interface UsageTotal {
  readonly tokens: Tokens;
  /** Null when any of the models has no price. */
  readonly cost_estimate: number | null;
  /** The currency of all prices in the tenant's catalog. */
  readonly currency: typeof currency;
}

export function totalUsage(all: readonly Usage[]): UsageTotal {
  const sum = (pick: (usage: Usage) => number) => all.reduce((total, usage) => total + pick(usage), 0);
  const isPriced = all.every(({ cost }) => cost !== undefined);
  return {
    tokens: toTokens({
      input: sum(({ input }) => input),
      output: sum(({ output }) => output),
      cached: sum(({ cached = 0 }) => cached),
      cache_write: sum(({ cache_write = 0 }) => cache_write),
    }),
    // To a millionth of a cent: sums of fractions have long tails.
    cost_estimate: isPriced ? Number(sum(({ cost = 0 }) => cost).toFixed(8)) : null,
    currency,
  };
}
