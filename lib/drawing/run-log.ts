// Reads the log of a run, as far as a drawing needs it.
import * as z from 'zod';

const entry = z.object({
  event: z.string(),
  message: z.string(),
  node_id: z.string().optional(),
  scope: z.string().optional(),
  duration_ms: z.number().optional(),
});

/** The result of a run, or its log alone. */
export const runLog = z.union([
  z.array(entry),
  z.object({ logs: z.array(entry) }).transform(({ logs }) => logs),
]);
