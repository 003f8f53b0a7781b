// Runs a `parallel` node. Loaded with the first flow that has one.
import type { Json } from '#lib/json/json.ts';
import type {
  MergedVariables,
  NodeContext,
  Paused,
  RunNode,
  ScopeEnd,
  Step,
} from '../engine/node-context.ts';
import { NodeError } from '../format/node-error.ts';
import type { Merges } from './merge-field.ts';
import { mergeEnds, startMerge } from './merge-state.ts';
import {
  type ConcurrentEnds,
  errorValue,
  firstFailure,
  pausedIfAny,
  runConcurrently,
} from './run-concurrently.ts';

interface ParallelFields {
  readonly branches: Readonly<Record<string, { readonly start: string }>>;
  readonly join?: 'all' | 'first' | 'settled' | undefined;
  readonly merge?: Merges | undefined;
}

export function prepareRun({ branches, join = 'all', merge }: ParallelFields): RunNode {
  const blocks = Object.entries(branches).map(([name, { start }]) => ({ name, start }));
  const names = Object.keys(branches);
  return async (context) => {
    const started = startMerge(context, merge);
    const gathered = await runAll(blocks, started, joins[join].neededBefore, context);
    const step = joins[join].step(names, gathered);
    const state = 'pause' in step ? undefined : mergeEnds(context, merge, joins[join].merged(gathered));
    return state ? { ...step, state } : step;
  };
}

interface Branch {
  readonly name: string;
  readonly start: string;
}

interface Join {
  readonly neededBefore: (end: ScopeEnd, index: number) => number;
  readonly step: (names: readonly string[], gathered: ConcurrentEnds) => Step | Paused;
  /** The ends whose variables are merged. */
  readonly merged: (gathered: ConcurrentEnds) => ConcurrentEnds['ends'];
}

function runAll(
  branches: readonly Branch[],
  merge: MergedVariables | undefined,
  neededBefore: Join['neededBefore'],
  context: NodeContext,
): Promise<ConcurrentEnds> {
  const nameOf = (index: number) => branches[index]?.name ?? '';
  return runConcurrently({
    count: branches.length,
    width: branches.length,
    ended: (index) => context.ended(nameOf(index)),
    drop: (index) => context.drop(nameOf(index)),
    enter: (index) => context.enter(nameOf(index), { start: branches[index]?.start ?? '', merge }),
    neededBefore,
  });
}

const all = Number.POSITIVE_INFINITY;

const joins: Readonly<Record<'all' | 'first' | 'settled', Join>> = {
  all: {
    neededBefore: ({ status }, index) => (status === 'failed' ? index : all),
    step: (names, { ends }) => {
      const failure = firstFailure(ends, labelBranches(names));
      if (failure) throw failure;
      return (
        pausedIfAny(ends) ?? {
          output: byName(names, ends, readOutput),
          note: `${names.length} branches completed`,
        }
      );
    },
    merged: ({ ends }) => ends,
  },
  first: {
    neededBefore: ({ status }) => (status === 'completed' ? 0 : all),
    step: (names, { ends, last }) => {
      const end = last === undefined ? undefined : ends[last];
      if (end) {
        const branch = names[last ?? 0] ?? '';
        return { output: { branch, output: readOutput(end) }, note: `the branch "${branch}" was first` };
      }
      const paused = pausedIfAny(ends);
      if (paused) return paused;
      const why = firstFailure(ends, labelBranches(names));
      throw new NodeError('parallel.all_failed', `No branch succeeded. ${why?.message ?? ''}`, {
        nodeId: why?.nodeId,
        cause: why,
      });
    },
    merged: ({ ends, last }) => (last === undefined ? [] : [ends[last]]),
  },
  settled: {
    neededBefore: () => all,
    step: (names, { ends }) => pausedIfAny(ends) ?? { output: byName(names, ends, toSettledValue) },
    merged: ({ ends }) => ends,
  },
};

const labelBranches = (names: readonly string[]) => (index: number) => `Branch "${names[index]}"`;

function byName(
  names: readonly string[],
  ends: ConcurrentEnds['ends'],
  valueFrom: (end: ScopeEnd) => Json,
): Record<string, Json> {
  const values: Record<string, Json> = {};
  for (const [index, end] of ends.entries()) if (end) values[names[index] ?? ''] = valueFrom(end);
  return values;
}

const readOutput = (end: ScopeEnd): Json => (end.status === 'completed' ? end.output : null);

const toSettledValue = (end: ScopeEnd): Json =>
  end.status === 'failed'
    ? { status: 'failed', error: errorValue(end.error) }
    : { status: 'completed', output: readOutput(end) };
