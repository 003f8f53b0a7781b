// What models have used in a day or a month, on the wire.
import * as z from 'zod';
import { flowid, workspaceid } from '#lib/ids.ts';
import { currency } from '#lib/model/usage.ts';

export const usagePeriod = z.enum(['day', 'month']);
export type UsagePeriod = z.infer<typeof usagePeriod>;
export const usageGroup = z.enum(['workspace', 'flow', 'key', 'model']);
export type UsageGroup = z.infer<typeof usageGroup>;

export const usageRow = z
  .strictObject({
    period: z.string().meta({
      description: 'A day (`2026-11-28`) or a month (`2026-11`), in UTC.',
      examples: ['2026-11-28'],
    }),
    workspaceid: workspaceid.optional().meta({ description: 'With `group` workspace or flow.' }),
    flowid: flowid.optional().meta({
      description: 'With `group=flow`: the flow that was started, also for what the flows that it calls use.',
    }),
    key: z.string().optional().meta({
      description:
        'With `group=key`: the principal that began the runs, such as an API key. Absent for callers of other organisations.',
    }),
    model: z.string().optional().meta({ description: 'With `group=model`: as `provider/model`.' }),
    calls: z.int().meta({ description: 'Answers of models.' }),
    tokens: z.strictObject({
      input: z.int().meta({ description: 'All of the input, also what the provider had in its cache.' }),
      output: z.int(),
      cached: z.int().meta({ description: 'The part of the input that was read from the cache.' }),
      cache_write: z.int().meta({ description: 'The part of the input that was written to the cache.' }),
    }),
    cost_estimate: z.number().meta({
      description: 'By the prices of the tenant, in `currency`, without the calls that have no price.',
    }),
    unpriced_calls: z.int().meta({ description: 'Calls of models that have no price.' }),
    currency: z.literal(currency),
  })
  .meta({ id: 'Usage' });
export type UsageRow = z.infer<typeof usageRow>;
