// Forks a run: a new run in the background that begins at one of its executions, with what the nodes before it gave and
// the variables that they set. Nothing before the place is executed again, and nobody is asked again.
import * as z from 'zod';
import { type Caller, requirePermission } from '#lib/access/caller.ts';
import { environment } from '#lib/environment/environment.ts';
import { ServiceError } from '#lib/errors.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import { newRunId, registryId, runId } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { type JsonObject, json, jsonObject } from '#lib/json/json.ts';
import type { Log } from '#lib/log.ts';
import { openFlow } from '#lib/registry/flow-payload.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { requireBudget } from '#lib/usage/check-budget.ts';
import { lastRecords, whyNone } from './executions.ts';
import { findDifference, hasNode } from './fork-build.ts';
import { type ForkPlace, findPlace, forkFrom } from './fork-place.ts';
import { type ForkedRun, type NotForked, toFirstSnapshot } from './fork-snapshot.ts';
import { inputNotKept } from './input.ts';
import { executionId } from './kept-execution.ts';
import { readRecords } from './kept-value-items.ts';
import { ownHeaderById } from './own-run.ts';
import { findRow } from './replay.ts';
import { noteRerun } from './reruns.ts';
import { runState } from './result.ts';
import { decryptInput } from './run-encryption.ts';
import { readRunEventItems } from './run-items.ts';
import { readFirstSnapshot, storeFirstSnapshot } from './run-snapshot.ts';
import { startQueued } from './start.ts';
import { keepUntil, readLogs, type StoredRun } from './stored-run.ts';

export const forkBody = z
  .strictObject({
    from: forkFrom,
    outputs: z
      .record(z.string(), json)
      .optional()
      .meta({ description: 'Replaces outputs of nodes before the place, by `node_id`.' }),
    state: jsonObject.optional().meta({
      description:
        'Replaces variables of the state. Required for those that were set from an output which `outputs` replaces.',
    }),
    environment: environment.optional().meta({ description: 'By default that of the run.' }),
    a2aregistryid: registryId.optional().meta({
      description:
        'Another build of the flow; in `live` only the live one. By default the build that the environment has now. Its nodes before the place must be those of the run.',
    }),
  })
  .meta({ id: 'ForkRequest' });
export type ForkBody = z.infer<typeof forkBody>;

export const forkedRun = /* @__PURE__ */ z.lazy(() =>
  built(runState).extend({ fork_of: runId, fork_from: executionId }).meta({ id: 'ForkedRun' }),
);

export interface Fork {
  readonly run: StoredRun;
  readonly execution: string;
}

/**
 * Throws `validation_failed`, `run_not_found`, `event_not_run`, `run_input_not_kept`, `run_values_not_kept`,
 * `run_not_forkable`, `budget_exhausted`, or why there is no build.
 */
export async function forkRun(caller: Caller, id: string, body: ForkBody, log: Log): Promise<Fork> {
  const before = await ownHeaderById(caller, id);
  requirePermission(caller, 'runs:inspect', before.workspaceid);
  const place = findPlace(readLogs(await readRunEventItems(before)), body.from);
  const input = await decryptInput(before);
  if (input === undefined) throw inputNotKept(before);
  const environment = body.environment ?? before.environment;
  const row = await findRow(before, environment, body.a2aregistryid);
  requireBudget(before, caller);
  const flow = await requireSameBegin(before, row, place);
  const snapshot = await buildSnapshot(before, place, flow, body);
  const { orgid, workspaceid, flowid } = before;
  const run_id = newRunId();
  const ttl = keepUntil(Date.now());
  const chunks = await storeFirstSnapshot({ run_id, orgid, workspaceid, ttl }, snapshot);
  const { execution } = place;
  const run = await startQueued({
    runId: run_id,
    row,
    caller,
    trigger: 'background',
    triggerId: flowid,
    environment,
    // Expressions before the place may have read it.
    ...(before.turn !== undefined && { turn: before.turn }),
    keepInput: input,
    fork: { of: before.run_id, from: execution, chunks },
  });
  await noteRerun(before, 'forks', run_id, log);
  return { run, execution };
}

/** Returns the flow of the build. */
async function requireSameBegin(run: StoredRun, row: StoredRow, place: ForkPlace): Promise<JsonObject> {
  const { execution, node_id, before, isReused } = place;
  if (isReused)
    throw notForkable(
      run,
      `it is a fork itself, and has the output of ${execution} of ${run.fork?.of ?? 'another run'}: fork that one`,
    );
  const now = await openFlow(row);
  if (!hasNode(now, node_id))
    throw notForkable(run, `the build ${row.a2aregistryid} has no node "${node_id}"`);
  if (row.payload_id === run.payload_id) return now;
  const nodes = new Set(before.map((visit) => visit.node_id));
  const difference = findDifference({ before: await openFlowOf(run), now, nodes });
  if (difference === undefined) return now;
  const detail = `the build ${row.a2aregistryid} cannot continue it, because its ${difference} and ${execution} comes after it`;
  throw notForkable(run, `${detail}. Fork from an earlier place, or by the build ${run.a2aregistryid}`);
}

async function openFlowOf(run: StoredRun): Promise<JsonObject> {
  const row = await readRow(run.a2aregistryid);
  if (row?.payload_id === run.payload_id) return await openFlow(row);
  throw notForkable(run, 'its build was deleted or has another flow now, so none can be compared with it');
}

async function buildSnapshot(run: StoredRun, place: ForkPlace, flow: JsonObject, body: ForkBody) {
  const { records, hasOthers } = await readRecords(run);
  const first = run.fork && (await readFirstSnapshot(run, run.fork));
  const state = { ...(isObject(flow.state) && flow.state), ...first?.state };
  const { outputs = {}, state: variables = {} } = body;
  const fork: ForkedRun = {
    run: run.run_id,
    place,
    begin: { nodes: first?.nodes ?? {}, state },
    records: new Map(lastRecords(records).map((record) => [record.execution, record])),
    outputs,
    state: variables,
  };
  const snapshot = toFirstSnapshot(fork);
  if ('version' in snapshot) return snapshot;
  throw refusal(run, snapshot, hasOthers);
}

function refusal(run: StoredRun, why: NotForked, hasOthers: boolean): ServiceError {
  if ('pointer' in why) return new ServiceError('validation_failed', { errors: [why] });
  if ('problem' in why) return notForkable(run, why.problem);
  const detail = `A fork needs the output of the execution ${why.lacking}, and the variables that it has set. ${whyNone(run, hasOthers)}`;
  return new ServiceError('run_values_not_kept', { detail, workspaceid: run.workspaceid });
}

const notForkable = ({ workspaceid }: StoredRun, why: string) =>
  new ServiceError('run_not_forkable', { detail: `The run cannot be forked there: ${why}.`, workspaceid });
