// A run in the runs API: how it was started, its outcome, its usage, and the path that it took through its
// flow.
import * as z from 'zod';
import { assembleArtifacts, runArtifact } from '#lib/flow/engine/artifacts.ts';
import { flowid, registryId, runId, workspaceid } from '#lib/ids.ts';
import { jsonObject } from '#lib/json/json.ts';
import { currency, totalUsage } from '#lib/model/usage.ts';
import { addUsage } from './execution-usage.ts';
import { inputRequest } from './pause.ts';
import { logEntry, runFailure, tokens } from './result.ts';
import { runNeeds } from './run-needs.ts';
import { toRunCaller } from './run-position.ts';
import { type RunView, runState } from './state.ts';
import { readLogs, readTraceId, rerunsMax, runTrigger } from './stored-run.ts';
import { nodeVisit, readPath } from './visited-path.ts';

const time = z.string().meta({ format: 'date-time' });

/** Who started it, as far as the organisation of the flow may know. */
const caller = {
  created_by: z.string().optional().meta({
    description:
      'The principal that began it, or whose schedule did: an API key, or a user (`user_…`). None where it is one of another organisation.',
  }),
  caller_organization: z.enum(['own', 'other']).optional().meta({
    description:
      'Whether a caller of the organisation of the flow began it, or one of another organisation, which is not named. In lists it is absent, as `created_by` is, for runs that an earlier version has stored.',
  }),
};

/** What lists tell of a run, which the index holds. */
const summary = {
  workflow_id: runId,
  status: z.enum(['pending', 'input_required', 'auth_required', 'completed', 'failed', 'canceled']),
  trigger: runTrigger,
  trigger_id: z.string().optional(),
  environment: z.string(),
  flowid,
  a2aregistryid: registryId,
  build_no: z.int().optional(),
  ...caller,
  created_at: time,
  ended_at: time.optional(),
};
export const runSummary = z.strictObject(summary).meta({ id: 'RunSummary' });
export type RunSummary = z.infer<typeof runSummary>;

export const runDetail = z
  .strictObject({
    ...summary,
    workspaceid,
    context_id: z.string(),
    trace_id: z.string().meta({
      description:
        'The trace of the run (W3C Trace Context): that which it has joined, else its own, which is its id without hyphens.',
      example: '4bf92f3577b34da6a3ce929d0e0e4736',
    }),
    replay_of: runId.optional().meta({ description: 'The run that it runs again.' }),
    replays: z
      .array(runId)
      .optional()
      .meta({ description: `The runs that have run it again, oldest first; the first ${rerunsMax}.` }),
    fork_of: runId
      .optional()
      .meta({ description: 'The run that it forks: it has the outputs of what that one executed before.' }),
    fork_from: z.string().optional().meta({ description: 'The execution of that run at which it begins.' }),
    forks: z
      .array(runId)
      .optional()
      .meta({ description: `The runs that have forked it, oldest first; the first ${rerunsMax}.` }),
    response: jsonObject,
    error: z.string().nullable(),
    failure: runFailure.optional().meta({ description: 'The error for programs; only if the run failed.' }),
    requires_input: z.boolean(),
    input_requests: z.array(inputRequest).optional(),
    needs: runNeeds.optional(),
    artifacts: z.array(runArtifact).meta({
      description: 'What the flow handed over beside its response, chunks put together.',
    }),
    started_at: time.optional().meta({ description: 'When it was first worked on.' }),
    updated_at: time,
    duration_ms: z
      .number()
      .optional()
      .meta({ description: 'From when it was created, or its event was accepted, to its end.' }),
    waited_ms: z
      .number()
      .optional()
      .meta({ description: 'The part of `duration_ms` before it was first worked on.' }),
    tokens,
    cost_estimate: z.number().nullable().meta({
      description: 'For models, by the prices of the tenant, in `currency`; null where one has no price.',
    }),
    currency: z.literal(currency).meta({ description: 'The currency of `cost_estimate`, by ISO 4217.' }),
    path: z.array(nodeVisit).meta({ description: 'The nodes it came by, in the order in which they began.' }),
    logs: z.array(logEntry),
  })
  .meta({ id: 'Run' });
export type RunDetail = z.infer<typeof runDetail>;

export function toDetail(view: RunView): RunDetail {
  const { run } = view;
  const logs = readLogs(view.events);
  // The log of a run that ended before anybody worked on it has nothing but that.
  const startedAt = logs.find(({ event }) => event === 'run_started')?.time;
  const since = (at: string) => Math.max(0, Date.parse(at) - Date.parse(run.accepted_at ?? run.created_at));
  return {
    ...runState(view),
    artifacts: assembleArtifacts(view.replies),
    trigger: run.trigger,
    ...(run.trigger_id !== undefined && { trigger_id: run.trigger_id }),
    environment: run.environment,
    flowid: run.flowid,
    a2aregistryid: run.a2aregistryid,
    ...(run.build_no !== undefined && { build_no: run.build_no }),
    workspaceid: run.workspaceid,
    context_id: run.context_id,
    ...toRunCaller(run),
    trace_id: readTraceId(run),
    ...(run.replay_of !== undefined && { replay_of: run.replay_of }),
    ...(run.replays && { replays: run.replays }),
    ...(run.fork && { fork_of: run.fork.of, fork_from: run.fork.from }),
    ...(run.forks && { forks: run.forks }),
    created_at: run.created_at,
    updated_at: run.updated_at,
    ...(startedAt !== undefined && { started_at: startedAt, waited_ms: since(startedAt) }),
    ...(run.ended_at !== undefined && {
      ended_at: run.ended_at,
      duration_ms: since(run.ended_at),
    }),
    ...totalUsage(view.usage),
    path: addUsage(readPath(logs, findEnd(view)), view.usage),
  };
}

function findEnd({ run, status }: RunView): Parameters<typeof readPath>[1] {
  const isOver = status === 'completed' || status === 'canceled' || status === 'failed';
  return isOver ? { status, at: run.ended_at ?? run.updated_at } : undefined;
}
