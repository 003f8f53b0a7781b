// What a trigger answers about a run; the same shape for every trigger.
import * as z from 'zod';
import { runId } from '#lib/ids.ts';
import { jsonObject } from '#lib/json/json.ts';
import { inputRequest } from './pause.ts';
import { runNeeds } from './run-needs.ts';

/** Of models. */
export const tokens = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    input: z.number().meta({ description: 'All of the input, also what the provider had in its cache.' }),
    output: z.number(),
    cached: z
      .number()
      .optional()
      .meta({ description: 'The part of the input that was read from the cache of the provider.' }),
    cache_write: z
      .number()
      .optional()
      .meta({ description: 'The part of the input that was written to the cache of the provider.' }),
  }),
);

export const logEntry = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      seq: z.int().nonnegative(),
      time: z.string().meta({ format: 'date-time' }),
      level: z.enum(['info', 'warn', 'error']),
      node_id: z.string().optional(),
      node_type: z.string().optional(),
      scope: z
        .string()
        .optional()
        .meta({ description: 'The branch or item that the node belongs to, if it is inside another node.' }),
      event: z.string(),
      message: z.string(),
      status: z.string().meta({
        description:
          'The status of the node, or of the run in `run_…` entries: running, completed or failed. A canceled one has `failed` too.',
      }),
      duration_ms: z.number().optional(),
      attempt: z.int().optional(),
      delay_ms: z
        .number()
        .optional()
        .meta({ description: 'Of the entry of an attempt that failed: when the next one follows.' }),
      tool: z.string().optional().meta({ description: 'The tool that an agent has used.' }),
      tokens: tokens.optional(),
      finish_reason: z
        .enum(['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'])
        .optional()
        .meta({ description: 'Why the model stopped; `length` if its answer was cut off at `max_tokens`.' }),
      http: z.strictObject({ host: z.string(), status: z.number() }).optional(),
    })
    .meta({ id: 'LogEntry' }),
);

export const runFailure = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      code: z.string().meta({
        description: 'Stable: an error code of flows, or `run.…` for a failure outside of the flow.',
        examples: ['http.404'],
      }),
      message: z.string().meta({ description: 'For people; `error` has it together with code and node.' }),
      node_id: z.string().optional().meta({
        description:
          'The node of the flow that failed. For an error of a called flow, the node that called it.',
      }),
    })
    .meta({ id: 'RunFailure' }),
);

const shape = () => ({
  workflow_id: runId,
  response: jsonObject.meta({ description: 'Output of the flow; empty unless completed.' }),
  logs: z.array(logEntry),
  requires_input: z.boolean().meta({ description: 'true while the run waits for an answer.' }),
  input_requests: z
    .array(inputRequest)
    .optional()
    .meta({ description: 'What the run asks; only while it waits for an answer.' }),
  error: z.string().nullable().meta({ description: 'null unless the run failed.' }),
});

export const runResult = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      ...shape(),
      status: z.enum(['completed', 'failed', 'input_required', 'pending']).meta({
        description:
          '`completed` or `failed`; `input_required` where the flow asks something, and `pending` where it waits for a time of its own: such runs go on in the background.',
      }),
    })
    .meta({ id: 'RunResult' }),
);
export type RunResult = z.infer<typeof runResult>;

export const runState = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      ...shape(),
      needs: runNeeds
        .optional()
        .meta({ description: 'Connections that the run needs to begin; only while it waits for them.' }),
      failure: runFailure.optional().meta({ description: 'The error for programs; only if the run failed.' }),
      status: z.enum(['pending', 'input_required', 'auth_required', 'completed', 'failed', 'canceled']),
    })
    .meta({ id: 'RunState' }),
);
export type RunState = z.infer<typeof runState>;
