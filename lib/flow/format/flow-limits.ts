// The limits that a flow sets for its runs.
import * as z from 'zod';
import { limits } from './limits.ts';
import { named } from './notes.ts';

/** What a run may use; the caller of the engine may lower it further. */
export const flowLimits = named(
  'limits',
  z.strictObject({
    timeout_seconds: z.number().positive().max(limits.runSecondsMax).optional(),
    max_steps: z.int().min(1).max(limits.stepsMax).optional(),
    max_tokens: z.int().min(1).max(limits.tokensMax).optional(),
    max_model_calls: z.int().min(0).max(limits.modelCallsMax).optional(),
    max_depth: z.int().min(1).max(limits.callDepthMax).optional(),
    max_tool_output_bytes: z.int().min(1024).max(limits.toolOutputBytesMax).optional(),
  }),
);
export type FlowLimits = z.infer<typeof flowLimits>;
