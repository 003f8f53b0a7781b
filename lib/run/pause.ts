// What a paused run asks and what it is answered, on the wire and in the table.
import * as z from 'zod';
import { json, jsonObject } from '#lib/json/json.ts';

export const inputRequest = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'Names the question; the same as long as it is open.' }),
      node_id: z.string(),
      purpose: z.enum(['ask', 'approval']),
      prompt: z.string(),
      schema: jsonObject.optional().meta({
        description:
          'JSON Schema of the answer. An approval has both: its answer is one of the `choices`, or an object as the schema says.',
      }),
      choices: z.array(z.string()).readonly().optional(),
      detail: json.optional().meta({ description: 'What the answer is about.' }),
      expires_at: z
        .string()
        .optional()
        .meta({ description: 'When the run continues without an answer.', format: 'date-time' }),
    })
    .meta({ id: 'InputRequest' }),
);

/** To which of its requests, and what; without a value, what the message of the event says. */
export const givenAnswer = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({ id: z.string(), value: json.optional() }),
);
