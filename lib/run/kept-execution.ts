// What is kept of the execution of a node: the values of its fields, its output or its error, and what it said to models
// and they answered. What looks like a secret is redacted, as in the log.
import * as z from 'zod';
import { runId } from '#lib/ids.ts';
import { json, jsonObject } from '#lib/json/json.ts';
import { currency } from '#lib/model/usage.ts';
import { tokens } from './result.ts';

const modelMessage = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  name: z.string().optional().meta({ description: 'The tool whose result it is.' }),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(jsonObject).optional(),
  files: z.array(jsonObject).optional().meta({ description: 'Without their content.' }),
});

const modelCall = z
  .strictObject({
    at: z.string().meta({ format: 'date-time' }),
    duration_ms: z.number(),
    attempt: z.int(),
    model: z.string().optional().meta({ description: 'As `provider/model`; absent if none answered.' }),
    system: z.string().optional().meta({ description: 'Only where it is not that of the call before.' }),
    earlier_messages: z
      .int()
      .meta({ description: 'How many messages of the call before come first; `messages` has the others.' }),
    messages: z.array(modelMessage),
    tools: z.array(z.string()).optional().meta({ description: 'Names of the tools that it could use.' }),
    answer: json.optional().meta({
      description: 'Absent where guardrails check the answers of the node: its output is what passed them.',
    }),
    tool_calls: z.array(jsonObject).optional(),
    finish_reason: z.string().optional(),
    tokens: tokens.optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'ModelCall' });
export type ModelCall = z.infer<typeof modelCall>;

export const keptExecution = z.strictObject({
  execution: z.string().meta({
    description: 'Its id: its scope, its node and its visit with dots between them.',
    example: 'each.1.0.order.1',
  }),
  node_id: z.string(),
  node_type: z.string(),
  scope: z.string().optional(),
  visit: z.int(),
  status: z.enum(['paused', 'completed', 'failed', 'caught']).meta({
    description:
      '`caught`: it failed, and a `catch` continued the run. `paused`: it had not ended when the run was last worked on.',
  }),
  ended_at: z.string().meta({ format: 'date-time' }),
  input: json.optional().meta({
    description:
      'The fields of the node that hold templates, with their values. Absent where they could not be evaluated. `$random()` and `$uuid()` in them may differ from what the node has used.',
  }),
  output: json.optional(),
  assigned: jsonObject
    .optional()
    .meta({ description: 'The variables of the state that it has set, with their values.' }),
  error: z
    .strictObject({ code: z.string(), message: z.string(), response: jsonObject.optional() })
    .optional(),
  models: z
    .array(modelCall)
    .optional()
    .meta({ description: 'The calls of models, in their order: prompts and answers.' }),
  left_out: z
    .array(z.enum(['input', 'output', 'assigned', 'models']))
    .optional()
    .meta({ description: 'What was too large to be kept, or kept whole.' }),
});
export type KeptExecution = z.infer<typeof keptExecution>;

const inspectedExecution = keptExecution.extend({
  tokens: tokens.optional().meta({
    description:
      'What its own calls of models used, in all attempts, also those that failed. It is that of the entry in `path` of the run, and is absent where it has called none.',
  }),
  cost_estimate: z.number().optional().meta({
    description:
      'What these `tokens` cost, by the prices of the tenant; absent where one of the models has no price.',
  }),
  currency: z
    .literal(currency)
    .optional()
    .meta({ description: 'The currency of `cost_estimate`, by ISO 4217; only with it.' }),
});
export type InspectedExecution = z.infer<typeof inspectedExecution>;

export const runExecution = inspectedExecution.extend({ workflow_id: runId }).meta({ id: 'RunExecution' });

/** The id of an execution in paths. Names of scopes have no dots. */
export const executionId = z
  .string()
  .max(1_000)
  .regex(
    /^(?:[\w:-]+\.)*[a-z][a-z0-9_]{0,63}\.\d{1,6}$/,
    'expected the id of an execution: its scope, its node_id and its visit, with dots between them, such as order.1',
  )
  .meta({
    description:
      'The scope of the execution, if it has one, its `node_id` and its `visit`, with dots between them.',
    example: 'order.1',
  });
