// What lists and counts of runs read: the runs of a workspace or of a flow from the index, and those that requests
// execute at this moment, which no index has.
import { addHeld, type HeldRun, readHeaders, readHeldRuns } from './held-runs.ts';
import { inlineLeaseMs, marginMs, runLimitSecondsMax } from './lease-times.ts';
import { type Reruns, readRerunIds } from './reruns.ts';
import {
  type ListedRun,
  queryRuns,
  type RunListScope,
  type RunsRange,
  toListedRun,
} from './run-list-items.ts';
import { isFinal } from './stored-run.ts';

/** Reads runs that started at `from` or later up to a position, newest first; see `collectPage`. */
export async function createRunReader(
  scope: RunListScope,
  from: string | undefined,
  now: number,
): Promise<(to: string, limit: number) => Promise<readonly ListedRun[]>> {
  const held = (await readHeldRuns({ orgid: scope.orgid })).filter((run) => isInScope(run, scope));
  // All times lie between 0 and 9. DynamoDB takes no empty string for the key of an index.
  return async (to, limit) => await readListed({ scope, from: toIso(from) ?? '0', to, limit }, held, now);
}

/** Reads the runs of the scope that have repeated or forked others, in the same way. */
export async function createRerunReader(
  scope: RunListScope,
  reruns: Reruns,
  from: string | undefined,
): Promise<(to: string, limit: number) => Promise<readonly ListedRun[]>> {
  const found = (await readHeaders(await readRerunIds(scope, reruns))).filter((run) => isInScope(run, scope));
  const runs = found.map(toListedRun).sort((a, b) => (a.position < b.position ? 1 : -1));
  const first = toIso(from) ?? '0';
  return async (to, limit) =>
    runs.filter(({ position }) => first <= position && position <= to).slice(0, limit);
}

/** Above the positions of all runs that started at this time or earlier. */
export const positionAfter = (to: string | undefined): string => `${toIso(to) ?? '9'}~`;

/** As the positions are written, whatever the offset and precision of the parameter. */
const toIso = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

const isInScope = (run: HeldRun, { orgid, workspaceid, flowid }: RunListScope): boolean =>
  run.orgid === orgid && run.workspaceid === workspaceid && (flowid === undefined || run.flowid === flowid);

/** The header of a run that a request executes says more than an index, but it was read first. */
async function readListed(
  range: RunsRange,
  held: readonly HeldRun[],
  now: number,
): Promise<readonly ListedRun[]> {
  const indexed = await queryRuns(range);
  const known = new Map(held.map((run) => [run.run_id, toListedRun(run)]));
  const unknown = indexed.filter((run) => !known.has(run.run_id) && mayBeAbandoned(run, now));
  for (const run of await readHeaders(unknown.map(({ run_id }) => run_id)))
    known.set(run.run_id, toListedRun(run));
  const listed = indexed.map((run) => (isFinal(run.status) ? run : (known.get(run.run_id) ?? run)));
  return addHeld(listed, [...known.values()], range);
}

/**
 * A run that the request of a caller of another organisation executes has no permit here. If it is older than a
 * lease, its header shows whether its process lives. Runs that a worker executes have later deadlines.
 */
function mayBeAbandoned({ status, created_at, deadline }: ListedRun, now: number): boolean {
  const startedAt = Date.parse(created_at);
  const isInline = deadline <= startedAt + runLimitSecondsMax * 1_000;
  return status === 'working' && isInline && startedAt + inlineLeaseMs + marginMs < now;
}
