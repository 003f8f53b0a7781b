// The snapshot with which a fork begins: what nodes gave and which variables they set before its place. Pure. A value
// that is not known exactly is never replaced by another one: it is named, and nothing begins.
import { redactedText } from '#lib/flow/engine/log-preview.ts';
import { type ReusedExecutions, type Snapshot, snapshotVersion } from '#lib/flow/engine/snapshot.ts';
import { caughtOutput } from '#lib/flow/format/node-error.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { executionOf, type ForkPlace } from './fork-place.ts';
import type { KeptExecution } from './kept-execution.ts';

export interface ForkedRun {
  readonly run: string;
  readonly place: ForkPlace;
  /** What the run itself began with: the initial state of the flow and, if it is a fork, that of its first snapshot. */
  readonly begin: Pick<Snapshot, 'nodes'> & { readonly state: JsonObject };
  /** By execution. */
  readonly records: ReadonlyMap<string, KeptExecution>;
  /** What the caller gives in place of outputs, by node, and of variables. */
  readonly outputs: JsonObject;
  readonly state: JsonObject;
}

/** Of a mistake in the request, of a value that was not kept, or of one that a fork cannot have. */
export type NotForked =
  | { readonly pointer: string; readonly detail: string }
  | { readonly lacking: string }
  | { readonly problem: string };

/** A value, and the execution that gave it. */
interface Known {
  readonly value: Json | undefined;
  readonly execution: string;
}

export function toFirstSnapshot(fork: ForkedRun): Snapshot | NotForked {
  const { place, records } = fork;
  const own = place.before.filter(({ reused: isReused }) => isReused !== true);
  const outputs = new Map<string, Known>();
  const variables = new Map<string, Known>();
  for (const visit of own) {
    const execution = executionOf(visit);
    const record = records.get(execution);
    if (!isEnded(record) || record.left_out?.includes('assigned')) return { lacking: execution };
    outputs.set(visit.node_id, { value: outputOf(record), execution });
    for (const [name, value] of Object.entries(record.assigned ?? {}))
      variables.set(name, { value, execution });
  }
  const known = { outputs, variables };
  const fault = findOutputFault(fork, known) ?? findStateFault(fork) ?? findUnknownValue(fork, known);
  if (fault) return fault;
  return {
    version: snapshotVersion,
    next: place.node_id,
    visits: Object.fromEntries(place.before.map(({ node_id, visit }) => [node_id, visit])),
    nodes: { ...fork.begin.nodes, ...valuesOf(outputs), ...fork.outputs },
    state: { ...fork.begin.state, ...valuesOf(variables), ...fork.state },
    // A run is limited in what it executes itself.
    steps: 0,
    modelCalls: 0,
    tokens: 0,
    elapsedMs: 0,
    logSeq: 0,
    reused: toReused(fork),
  };
}

const isEnded = (record: KeptExecution | undefined): record is KeptExecution =>
  record?.status === 'completed' || record?.status === 'caught';

/** Undefined where it was too large to be kept. */
function outputOf({ output, error, left_out }: KeptExecution): Json | undefined {
  if (error) return caughtOutput(error);
  return left_out?.includes('output') ? undefined : (output ?? null);
}

/** What nodes before the place have given: of each node the last output, and of each variable the last value. */
interface KnownValues {
  readonly outputs: ReadonlyMap<string, Known>;
  readonly variables: ReadonlyMap<string, Known>;
}

function findOutputFault(
  { place, outputs: given, state }: ForkedRun,
  { outputs, variables }: KnownValues,
): NotForked | undefined {
  for (const id of Object.keys(given)) {
    const replaced = outputs.get(id);
    if (!replaced)
      return {
        pointer: `/body/outputs/${id}`,
        detail: `must be of a node that the run itself has executed before ${place.execution}, outside of other nodes`,
      };
    for (const [name, { execution }] of variables)
      if (execution === replaced.execution && !Object.hasOwn(state, name))
        return {
          pointer: '/body/state',
          detail: `must have ${name}, which ${execution} has set from the output that is replaced`,
        };
  }
  return undefined;
}

function findStateFault({ begin, state }: ForkedRun): NotForked | undefined {
  const unknown = Object.keys(state).find((name) => !Object.hasOwn(begin.state, name));
  if (unknown === undefined) return undefined;
  return { pointer: `/body/state/${unknown}`, detail: 'must be a variable of the flow' };
}

/** A value that the run does not have as it was, and that the caller has not replaced. */
function findUnknownValue(
  { outputs: givenOutputs, state }: ForkedRun,
  { outputs, variables }: KnownValues,
): NotForked | undefined {
  for (const [id, { value, execution }] of outputs) {
    if (Object.hasOwn(givenOutputs, id)) continue;
    if (value === undefined) return { lacking: execution };
    if (isRedacted(value)) return isSecret(`the output of ${execution}`, 'outputs', id);
  }
  for (const [name, { value = null, execution }] of variables)
    if (!Object.hasOwn(state, name) && isRedacted(value))
      return isSecret(`the variable ${name}, which ${execution} has set,`, 'state', name);
  return undefined;
}

const isRedacted = (value: Json): boolean => JSON.stringify(value).includes(redactedText);

const isSecret = (what: string, member: string, name: string): NotForked => ({
  problem: `${what} was kept without what looks like a secret. Give it as \`${member}.${name}\``,
});

const valuesOf = (known: ReadonlyMap<string, Known>): JsonObject =>
  Object.fromEntries([...known].map(([name, { value = null }]) => [name, value]));

const toReused = ({ run, place, records }: ForkedRun): ReusedExecutions => ({
  run,
  executions: place.before.map((visit) => {
    const hasFailed = visit.status === 'failed' || records.get(executionOf(visit))?.status === 'caught';
    return { node: visit.node_id, ...(hasFailed && { failed: true }) };
  }),
});
