// The event of the function that migrates, and its answer: what the command line sends and prints.
import * as z from 'zod';
import { jobNames } from './job-names.ts';

export const writeUnits = { min: 10, max: 4_000, default: 100 } as const;

export const migrationEvent = z.strictObject({
  job: z.enum(jobNames),
  /** `start` continues a job that is not done, and begins one that is done again; `continue` never begins. */
  action: z.enum(['start', 'continue', 'status']),
  /** How many write units of the table it may use in a second, on average. */
  write_units: z.int().min(writeUnits.min).max(writeUnits.max).default(writeUnits.default),
});
export type MigrationEvent = z.input<typeof migrationEvent>;

export const progress = z.object({
  state: z.enum(['new', 'running', 'done']),
  seen: z.number(),
  changed: z.number(),
  failed: z.number(),
  failures: z.array(z.string()),
  started_at: z.string().optional(),
  updated_at: z.string().optional(),
  /** Whether another process works on it, or did when it died. */
  is_held: z.boolean(),
});
export type Progress = z.infer<typeof progress>;
