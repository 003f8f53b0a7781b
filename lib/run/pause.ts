// A run that stands still: what it asks, and when it goes on by itself.
import * as z from 'zod';
import type { Snapshot } from '#lib/flow/ports.ts';
import { json, jsonObject } from '#lib/json.ts';

export const inputRequest = z
  .strictObject({
    id: z.string().meta({ description: 'Names the question; the same as long as it is open.' }),
    node_id: z.string(),
    purpose: z.enum(['ask', 'approval']),
    prompt: z.string(),
    schema: jsonObject.optional().meta({ description: 'JSON Schema of the answer.' }),
    choices: z.array(z.string()).optional(),
    detail: json.optional().meta({ description: 'What the answer is about.' }),
    expires_at: z.string().optional(),
  })
  .meta({ id: 'InputRequest' });
export type InputRequest = z.infer<typeof inputRequest>;

/** What a run was answered, and to which of its requests. */
export const givenAnswer = z.strictObject({ id: z.string(), answer: json });
export type GivenAnswer = z.infer<typeof givenAnswer>;

/** Ends of an engine's work that are not the end of the run. */
export type Pausing =
  | {
      readonly status: 'input_required' | 'auth_required';
      readonly requests: readonly InputRequest[];
      readonly snapshot: Snapshot;
      /** RFC 3339: when there is something to do without an answer. */
      readonly wakes_at?: string | undefined;
    }
  | { readonly status: 'waiting'; readonly until: string; readonly snapshot: Snapshot };

/** Ms since 1970 at which the run goes on by itself; undefined when it waits for somebody. */
export function wakeAtOf(pausing: Pausing): number | undefined {
  const at = pausing.status === 'waiting' ? pausing.until : pausing.wakes_at;
  return at === undefined ? undefined : Date.parse(at);
}
