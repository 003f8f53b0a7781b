// A budget: how much the models of an organisation, or of one of its workspaces, may cost in a month (UTC), on the wire.
import * as z from 'zod';
import { workspaceid } from '#lib/ids.ts';
import { currency } from '#lib/model/usage.ts';

const dollarsMax = 1_000_000_000;

const monthlyLimit = z.number().min(0).max(dollarsMax).meta({
  description: 'What models may cost in a month, in US dollars; rounded to billionths.',
  example: 250,
});

export const budgetBody = z
  .strictObject({
    monthly_limit: monthlyLimit,
    warn_percent: z
      .int()
      .min(1)
      .max(100)
      .default(80)
      .meta({ description: 'The part of the limit from which `state` is `warning`.' }),
    stop: z.boolean().default(true).meta({
      description:
        'Whether, in the month in which the limit is reached, nothing is started any more and models are not called.',
    }),
  })
  .meta({ id: 'BudgetRequest' });
export type BudgetBody = z.infer<typeof budgetBody>;

export const budget = z
  .strictObject({
    workspaceid: workspaceid.optional().meta({ description: 'Absent for the whole organisation.' }),
    monthly_limit: monthlyLimit,
    warn_percent: z.int(),
    stop: z.boolean(),
    month: z.string().meta({ description: 'The month of `spent`, in UTC.', examples: ['2026-11'] }),
    spent: z.number().meta({ description: 'Of calls that have a price, when it was last added up.' }),
    currency: z.literal(currency),
    state: z.enum(['ok', 'warning', 'exhausted']).meta({
      description: '`warning` from `warn_percent` of the limit, `exhausted` from the limit on.',
    }),
    warning_since: z.iso.datetime().optional().meta({
      description: 'When it was first seen, in this month, that `warn_percent` of the limit was reached.',
    }),
    exhausted_since: z.iso.datetime().optional().meta({
      description: 'When it was first seen, in this month, that the limit was reached.',
    }),
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof budget>;

export const budgetList = z.strictObject({ items: z.array(budget) }).meta({ id: 'BudgetList' });
