// The items of the runs table: the header of a run and its append-only events, and the times in them. A run
// is an A2A task. It is kept for the days of the tenant, counted from its end. As nobody knows the end
// beforehand, the header expires when the run must have ended at the latest. A run that is paused for longer
// gets a later expiry, and its end an earlier one; both hold for all its items.
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { environmentName } from '#lib/environment/environment.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { built } from '#lib/json/built-schema.ts';
import { marginMs } from './lease-times.ts';

export const runStatus = z.enum([
  'submitted',
  'working',
  /** Paused until somebody answers; its questions are in the event that recorded this status. */
  'input_required',
  /** Paused until connections are configured. */
  'auth_required',
  'completed',
  'failed',
  'canceled',
]);
export type RunStatus = z.infer<typeof runStatus>;

export const runTrigger = z.enum(['api', 'background', 'webhook', 'schedule', 'a2a']);

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/**
 * Encrypted in the table (`lib/caller-data.ts`); a string in memory, and in what an earlier version of the
 * service has stored.
 */
const callerData = z.union([z.string(), bytes]);

const answerForm = z.enum(['message', 'rejected']);

/** What a run is from its start to its end. */
const startedRun = /* @__PURE__ */ z.lazy(() =>
  z.object({
    run_id: z.string(),
    trigger: runTrigger,
    /** Id of the trigger; absent where there is none, as for A2A. */
    trigger_id: z.string().optional(),
    environment: environmentName,
    /** The organisation and the workspace of the flow. */
    orgid: z.string(),
    workspaceid: z.string(),
    flowid: z.string(),
    a2aregistryid: z.string(),
    build_no: z.number().optional(),
    /** The version of the flow at the start: a snapshot fits no other. */
    payload_id: z.string(),
    /** The API key that started it, and its organisation. */
    caller_id: z.string(),
    caller_orgid: z.string(),
    /** Conversation of an A2A task. */
    context_id: z.string(),
    /** Which message of the conversation started it; absent for the first. */
    turn: z.number().optional(),
    /**
     * What the flow runs on, as JSON; kept where another process needs it, for queued runs and for the history
     * of an A2A task, and where the environment keeps values.
     */
    input: callerData.optional(),
    /** Called once the run is over. */
    callback_url: callerData.optional(),
    /** Identifies the request or the A2A message that started it under a name, or the event that a webhook accepted. */
    fingerprint: z.string().optional(),
    /** The trace that it joined (W3C Trace Context); absent where it begins one. */
    traceparent: z.string().optional(),
    tracestate: z.string().optional(),
    /** Whether its environment had a sink for telemetry when it began. */
    exported: z.boolean().optional(),
    /** The run whose input, or whose flow, it runs again. */
    replay_of: z.string().optional(),
    /** The run that it forks, the execution at which it begins, and the number of chunks of its first snapshot. */
    fork: z.object({ of: z.string(), from: z.string(), chunks: z.number() }).optional(),
    /** When the webhook accepted the event of the run. */
    accepted_at: z.string().optional(),
    created_at: z.string(),
  }),
);

/** With what changes while it runs. */
export const storedRun = /* @__PURE__ */ z.lazy(() =>
  built(startedRun).extend({
    status: runStatus,
    /** +1 with every change; the condition of the next. */
    generation: z.number(),
    /** Who may write: one runner at a time, until `lease_until` (ms since 1970). */
    lease: z.string().optional(),
    lease_until: z.number(),
    /**
     * Runners that took the lease since the last snapshot and did not release it: a run that kills its runners
     * must not do so forever.
     */
    claims: z.number().optional(),
    /**
     * `inline`: runs in the request that started it and ends with it. `queued`: runs in the worker and may be
     * taken over.
     */
    mode: z.enum(['inline', 'queued']),
    /** Whether it was `inline` before it was `queued`: it has never been submitted then. */
    began_inline: z.boolean().optional(),
    /** Of a completed run: how it answers callers over A2A, where that is no completed task. */
    as: answerForm.optional(),
    /**
     * How many push notification configurations the task has. Once it is there it stays, so that every writer of
     * an event learns of them by a condition.
     */
    push_configs: z.number().optional(),
    /** The first runs that have run this one again. */
    replays: z.array(z.string()).optional(),
    /** The first runs that have forked this one. */
    forks: z.array(z.string()).optional(),
    /** Ms since 1970. */
    deadline: z.number(),
    /** Ms since 1970 until which the run is paused; then it is resumed. */
    wake_at: z.number().optional(),
    /** Whether the paused run waits for events. */
    awaits_events: z.boolean().optional(),
    /** Whether the snapshot has tasks of other agents, which are to be canceled if the run ends without them. */
    remote_tasks: z.boolean().optional(),
    /** When `status` became what it is. Runs of an earlier version of the service have none. */
    status_timestamp: z.string().optional(),
    /** When the last event was stored, whatever it changed. */
    updated_at: z.string(),
    ended_at: z.string().optional(),
    /** The last event, compressed (`stored-end.ts`), unless it has an item of its own. */
    end: bytes.optional(),
    /** Seconds since 1970; DynamoDB removes the item after that. */
    ttl: z.number(),
  }),
);
export type StoredRun = z.infer<typeof storedRun>;

/** So many runs are named in the header of the run that they repeat or fork. */
export const rerunsMax = 50;

export const contextPrefix = 'ctx-';
/** The context that a task begins, whose id names the task. */
export const newContextId = (runId: string): string => `${contextPrefix}${runId}`;

/** Attributes of a header that are stored only where they differ from what they follow from. */
export function withDerived(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const run_id = String(item.pk).slice('RUN#'.length);
  const { orgid: caller_orgid, created_at: updated_at } = item;
  return { run_id, caller_orgid, updated_at, context_id: newContextId(run_id), ...item };
}

/** The same attributes left out, for a header without an event: below a kilobyte it costs one write unit. */
export function withoutDerived(run: StoredRun): Partial<StoredRun> {
  const { run_id, caller_orgid, updated_at: _, status_timestamp: _at, context_id, ...rest } = run;
  return {
    ...rest,
    ...(caller_orgid !== run.orgid && { caller_orgid }),
    ...(context_id !== newContextId(run_id) && { context_id }),
  };
}

export const parseRun = (item: Readonly<Record<string, unknown>>): StoredRun =>
  storedRun.parse(withDerived(item));

export const storedEvent = /* @__PURE__ */ z.lazy(() =>
  z.object({
    generation: z.number(),
    at: z.string(),
    status: runStatus,
    /** Arrays of log entries, of replies and of what models have used, and the response, as JSON. */
    logs: z.string().optional(),
    replies: z.string().optional(),
    usage: z.string().optional(),
    /**
     * What models have written so far of answers that are not whole yet, as JSON; what is for the caller is in
     * `replies`.
     */
    texts: z.string().optional(),
    response: z.string().optional(),
    /** How the response answers callers over A2A, where that is no completed task. */
    as: answerForm.optional(),
    /** The text with which the task of the run ends over A2A. */
    status_message: z.string().optional(),
    /** How the response is labelled as an artifact, as JSON. */
    response_labels: z.string().optional(),
    error: z.string().optional(),
    /** The same for programs. Runs of an earlier version of the service have none. */
    failure: z.object({ code: z.string(), message: z.string(), node_id: z.string().optional() }).optional(),
    /** What the run has used of its budget so far, if its caller may see that. */
    used: z.object({ steps: z.number(), model_calls: z.number(), tokens: z.number() }).optional(),
    /** What a run needs to begin, as JSON. */
    needs: z.string().optional(),
    /** What a paused run asks, as JSON. */
    requests: z.string().optional(),
    /** What somebody answered, and to which request, as JSON. */
    answer: callerData.optional(),
    /** The id of the A2A message that resumed a paused run. */
    message_id: z.string().optional(),
    /** That message as it was sent, as JSON. */
    message: callerData.optional(),
  }),
);
export type StoredEvent = z.infer<typeof storedEvent>;

/** What an item records of bytes that are too large for it, and are stored in chunks of their own. */
export const chunks = /* @__PURE__ */ z.lazy(() =>
  z.object({
    /**
     * Generation and lease of the writer, so that a stale runner never overwrites the chunks of its successor.
     */
    place: z.string(),
    count: z.number(),
  }),
);
export type Chunks = z.infer<typeof chunks>;

/** An event as the table has it: a response that is too large for the item is stored in chunks. */
export const eventItem = /* @__PURE__ */ z.lazy(() =>
  built(storedEvent).extend({ response_chunks: chunks.optional() }),
);
export type EventItem = z.infer<typeof eventItem>;

/** What the header of a run that is over has of its last event. */
export const endedHeader = /* @__PURE__ */ z.lazy(() =>
  built(storedRun).pick({
    generation: true,
    updated_at: true,
    status: true,
    as: true,
    end: true,
  }),
);

/** For a run of an earlier version, the time of its last event. */
export const readStatusTimestamp = (run: Pick<StoredRun, 'status_timestamp' | 'updated_at'>): string =>
  run.status_timestamp ?? run.updated_at;

/** That of the trace which it has joined, or its own, which is its id without hyphens. */
export const readTraceId = ({ run_id, traceparent }: Pick<StoredRun, 'run_id' | 'traceparent'>): string =>
  traceparent?.split('-')[1] ?? run_id.replaceAll('-', '');

/** A run that its request executes is worked on from the start. */
export const startStatus = ({ mode, began_inline }: Pick<StoredRun, 'mode' | 'began_inline'>): RunStatus =>
  mode === 'inline' || began_inline ? 'working' : 'submitted';

export const isFinal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';

/** A2A calls these interrupted: nothing happens until somebody does something. */
export const isPaused = (status: RunStatus): boolean =>
  status === 'input_required' || status === 'auth_required';

/**
 * Everybody who works on a run has written its end by then: an inline run's function is over, a queued run's
 * engine stops at the deadline.
 */
export const graceMs = 20_000;

/** A run that has passed its deadline, and so counts as failed. A paused run has no deadline. */
const isOverdueAt = (now: number, { status, deadline }: Pick<StoredRun, 'status' | 'deadline'>): boolean =>
  isActive(status) && deadline + graceMs < now;

/** Without its lease, for which lists do not look at every run, it is judged by its deadline alone. */
type Abandonable = Pick<StoredRun, 'status' | 'deadline'> & Partial<Pick<StoredRun, 'mode' | 'lease_until'>>;

/**
 * A run that counts as failed although nobody has written its end: no process works on it any more. An inline
 * run ends with its process, which renews the lease while it lives.
 */
export const isAbandonedAt = (now: number, run: Abandonable): boolean =>
  isOverdueAt(now, run) ||
  (run.mode === 'inline' && isActive(run.status) && (run.lease_until ?? now) + marginMs < now);

const isActive = (status: RunStatus): boolean => !isFinal(status) && !isPaused(status);

/** A run that no worker has taken by then counts as failed. */
export const queueWaitMs = 12 * 3_600_000;

/**
 * The time that a queued run has from when a worker first takes it, or from the answer that it waited for, to
 * its end.
 */
export const queuedLimitMs = (): number => Number(requireEnv('BACKGROUND_LIMIT_SECONDS')) * 1_000;

const dayMs = 86_400_000;
export const retentionMs = (): number => Number(requireEnv('RUN_RETENTION_DAYS')) * dayMs;

/** A question that nobody answers stays open for longer than anybody waits. */
const openQuestionMs = 3_650 * dayMs;

const seconds = (ms: number) => Math.floor(ms / 1_000);

/** The `ttl` of a run that starts or ends at a time, also if it is queued first and takes all its time. */
export const keepUntil = (ms: number): number => seconds(ms + queueWaitMs + queuedLimitMs() + retentionMs());

/**
 * The `ttl` of a run that is paused until a time or, without one, until somebody resumes it. It is unchanged
 * as long as it is late enough.
 */
export function keepWhilePaused(
  { ttl }: Pick<StoredRun, 'ttl'>,
  wakeAt: number | undefined,
  now: number,
): number {
  const enough = wakeAt === undefined ? now + openQuestionMs / 2 : wakeAt;
  if (ttl >= seconds(enough + queuedLimitMs() + retentionMs())) return ttl;
  return keepUntil(wakeAt ?? now + openQuestionMs);
}

/** The key of the header or, with a generation, of the event that moved the header to it. */
export const runKey = (id: string, generation?: number) => ({
  pk: `RUN#${id}`,
  sk: generation === undefined ? 'HEAD' : `E#${String(generation).padStart(10, '0')}`,
});

/** The log entries of events, in their order. */
export const readLogs = (events: readonly Pick<StoredEvent, 'logs'>[]): LogEntry[] =>
  events.flatMap(({ logs }): LogEntry[] => (logs === undefined ? [] : JSON.parse(logs)));
