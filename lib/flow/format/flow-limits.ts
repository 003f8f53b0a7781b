// The limits that a flow can set for its runs.
import * as z from 'zod';
import { limits } from './limits.ts';
import { named } from './notes.ts';

/** The caller of the engine can lower them further. */
export const flowLimits = named(
  'limits',
  z
    .strictObject({
      timeout_seconds: z
        .number()
        .positive()
        .max(limits.runSecondsMax)
        .optional()
        .meta({ description: 'Seconds that a run may take, within the limit of its trigger.' }),
      max_steps: z
        .int()
        .min(1)
        .max(limits.stepsMax)
        .optional()
        .meta({ description: 'Most executions of nodes in a run.', default: limits.stepsDefault }),
      max_tokens: z.int().min(1).max(limits.tokensMax).optional().meta({
        description: 'Most tokens of a run, input and output together.',
        default: limits.tokensDefault,
      }),
      max_model_calls: z
        .int()
        .min(0)
        .max(limits.modelCallsMax)
        .optional()
        .meta({ description: 'Most calls of models in a run.', default: limits.modelCallsDefault }),
      max_depth: z.int().min(1).max(limits.callDepthMax).optional().meta({
        description: 'Longest chain of flows and agents that call one another.',
        default: limits.callDepthDefault,
      }),
      max_tool_output_bytes: z.int().min(1024).max(limits.toolOutputBytesMax).optional().meta({
        description: 'Bytes of the result of a tool that a model receives; the rest is cut.',
        default: limits.toolOutputBytesDefault,
      }),
    })
    .meta({ title: 'Limits', description: 'Limits of a run; the caller may lower them further.' }),
);
export type FlowLimits = z.infer<typeof flowLimits>;
