// What is kept of the execution of a node of a run, for people who may inspect it.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { currency } from '#lib/model/usage.ts';
import { readExecutionUsage } from './execution-usage.ts';
import type { InspectedExecution, KeptExecution } from './kept-execution.ts';
import { readRecords } from './kept-value-items.ts';
import { ownHeaderById } from './own-run.ts';
import { readRunEventItems } from './run-items.ts';
import { readUsage } from './state.ts';
import { isFinal, type StoredRun } from './stored-run.ts';

interface FoundExecution {
  readonly run: StoredRun;
  readonly execution: InspectedExecution;
}

/** Throws `run_not_found`, `event_not_run` or `run_values_not_kept`. */
export async function inspectExecution(
  caller: Caller,
  id: string,
  execution: string,
): Promise<FoundExecution> {
  const run = await ownHeaderById(caller, id);
  const { records, hasOthers } = await readRecords(run, execution);
  const found = joinRecords(records);
  if (found) return { run, execution: { ...found, ...(await readCost(run, execution)) } };
  throw new ServiceError('run_values_not_kept', {
    detail: whyNone(run, hasOthers),
    workspaceid: run.workspaceid,
  });
}

/** As `path` of the run has it. One call, or none if the run has one event. */
async function readCost(run: StoredRun, execution: string): Promise<Partial<InspectedExecution>> {
  const used = readExecutionUsage(execution, readUsage(await readRunEventItems(run)));
  return { ...used, ...(used.cost_estimate !== undefined && { currency }) };
}

/** An execution that was paused has one record for each time the run rested, of which each has the calls since the last. */
const joinRecords = (records: readonly KeptExecution[]): KeptExecution | undefined =>
  records.reduce<KeptExecution | undefined>((before, now) => {
    const calls = before?.status === 'paused' ? [...(before.models ?? []), ...(now.models ?? [])] : [];
    return calls.length > 0 ? { ...now, models: calls } : now;
  }, undefined);

/** By the ids of the executions. */
export const groupRecords = (records: readonly KeptExecution[]): ReadonlyMap<string, KeptExecution> => {
  const groups = Map.groupBy(records, ({ execution }) => execution);
  const joined = new Map<string, KeptExecution>();
  for (const [execution, group] of groups) {
    const record = joinRecords(group);
    if (record) joined.set(execution, record);
  }
  return joined;
};

/** The last record of each execution, in the order of their ends. */
export const lastRecords = (records: readonly KeptExecution[]): readonly KeptExecution[] => {
  const last = new Map<string, KeptExecution>();
  for (const record of records) {
    last.delete(record.execution);
    last.set(record.execution, record);
  }
  return [...last.values()];
};

/** Why nothing was kept of an execution. */
export function whyNone({ status, environment, caller_orgid, orgid }: StoredRun, hasOthers: boolean): string {
  if (caller_orgid !== orgid)
    return 'A caller of another organisation has started the run; of such runs only the input is kept.';
  if (!isFinal(status))
    return 'No values of such an execution are kept yet: they are kept once it has ended, if the environment keeps values.';
  if (hasOthers)
    return 'The run kept values, but none of such an execution: there was none, or what the run kept before it took all the room.';
  return `No values of the run are kept: the setting \`keep_values\` of the environment ${environment} decides of which runs they are.`;
}
