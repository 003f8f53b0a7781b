// The items of the runs table: the header of a run and its append-only events. A run is an A2A task.
import * as z from 'zod';
import { environmentName } from './environment/environment.ts';

export const runStatus = z.enum(['submitted', 'working', 'completed', 'failed', 'canceled']);
export type RunStatus = z.infer<typeof runStatus>;

export const storedRun = z.object({
  run_id: z.string(),
  status: runStatus,
  /** +1 with every change; the condition of the next. */
  generation: z.number(),
  /** Who may write: one runner at a time, until `lease_until` (ms since 1970). */
  lease: z.string().optional(),
  lease_until: z.number(),
  /** `inline`: runs in the request that started it and ends with it. `queued`: runs in the worker and may be taken over. */
  mode: z.enum(['inline', 'queued']),
  trigger: z.enum(['api', 'webhook', 'schedule', 'a2a']),
  /** Id of the trigger; absent where there is none, as for A2A. */
  trigger_id: z.string().optional(),
  environment: environmentName,
  /** Of the flow. */
  orgid: z.string(),
  workspaceid: z.string(),
  flowid: z.string(),
  a2aregistryid: z.string(),
  /** Of the flow as it was at the start: a snapshot fits no other. */
  payload_id: z.string(),
  /** Of the credentials that started it. */
  caller_id: z.string(),
  caller_orgid: z.string(),
  /** Conversation of an A2A task. */
  context_id: z.string(),
  /** What the flow runs on, as JSON; kept where another process needs it: for queued runs and for the history of an A2A task. */
  input: z.string().optional(),
  /** Told once the run is over. */
  callback_url: z.string().optional(),
  /** Ms since 1970. */
  deadline: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Seconds since 1970; DynamoDB removes the item after that. */
  ttl: z.number(),
});
export type StoredRun = z.infer<typeof storedRun>;

export const storedEvent = z.object({
  generation: z.number(),
  at: z.string(),
  status: runStatus,
  /** Arrays of log entries and of replies, and the response, as JSON. */
  logs: z.string().optional(),
  replies: z.string().optional(),
  response: z.string().optional(),
  error: z.string().optional(),
});
export type StoredEvent = z.infer<typeof storedEvent>;

export const isFinal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';
