// A run as a test of its flow, for people who may inspect the run.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { openFlow } from '#lib/registry/flow-payload.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { lastRecords, whyNone } from './executions.ts';
import { inputNotKept } from './input.ts';
import type { KeptExecution } from './kept-execution.ts';
import { readRecords } from './kept-value-items.ts';
import { ownRunById } from './own-run.ts';
import { decryptInput } from './run-encryption.ts';
import type { TestableEnd } from './saved-expectation.ts';
import { listNodes } from './saved-flow.ts';
import type { RunView } from './state.ts';
import { readLogs, type StoredRun } from './stored-run.ts';
import { type SavedTest, writeTest } from './write-test.ts';

export interface TestOfRun {
  readonly run: StoredRun;
  readonly test: SavedTest;
}

/** Throws `run_not_found`, `event_not_run`, `run_not_testable`, `run_input_not_kept` or `run_values_not_kept`. */
export async function saveAsTest(caller: Caller, id: string, name?: string): Promise<TestOfRun> {
  const view = await ownRunById(caller, id, Date.now());
  const { run } = view;
  if (run.fork)
    throw notTestable(run, `it is a fork, and a test begins at the start: save the run ${run.fork.of}`);
  const end = requireEnd(view);
  const nodes = listNodes(await requireFlow(run));
  const input = await decryptInput(run);
  if (input === undefined) throw inputNotKept(run);
  const { records, hasOthers } = await readRecords(run);
  const written = writeTest({
    nodes,
    records: lastRecords(records),
    logs: readLogs(view.events),
    end,
    endedAt: run.ended_at ?? run.updated_at,
    input: JSON.parse(input),
    name: name ?? `Run ${run.run_id}`,
  });
  if ('lacking' in written) throw lacksValue(run, written.lacking, hasOthers);
  if ('problem' in written) throw notTestable(run, written.problem);
  return { run, test: written };
}

function requireEnd({ run, status, response = {}, failure }: RunView): TestableEnd {
  if (status === 'completed') return { status, response };
  if (status !== 'failed')
    throw notTestable(run, `it is ${status}: expected one that has completed or failed`);
  if (failure?.node_id !== undefined) return { status, code: failure.code };
  throw notTestable(run, 'it did not fail at a node, so the flow alone would not fail in this way');
}

/** As it was when the run began: a mock must fit its nodes. */
async function requireFlow(run: StoredRun): Promise<JsonObject> {
  const row = await readRow(run.a2aregistryid);
  if (row?.payload_id === run.payload_id) return await openFlow(row);
  throw notTestable(run, 'its build was deleted, or has another flow now');
}

const notTestable = ({ workspaceid }: StoredRun, why: string) =>
  new ServiceError('run_not_testable', { detail: `The run cannot be made a test: ${why}.`, workspaceid });

function lacksValue(run: StoredRun, lacking: KeptExecution | string, hasOthers: boolean): ServiceError {
  const detail =
    typeof lacking === 'string'
      ? `A test needs the output of the execution ${lacking}. ${whyNone(run, hasOthers)}`
      : `A test needs the output of the execution ${lacking.execution}, which was too large to be kept.`;
  return new ServiceError('run_values_not_kept', { detail, workspaceid: run.workspaceid });
}
