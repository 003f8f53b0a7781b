// `parallel`: runs branches concurrently, each in a scope of its own. Its output is an object with their
// outputs, by name.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { NodeContext, Paused, ScopeEnd, Step } from '../engine/node-context.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { block, everyNode, nodeId, onward } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import type { NodeType } from './node-type.ts';
import {
  type ConcurrentEnds,
  errorValue,
  firstFailure,
  pausedIfAny,
  runConcurrently,
} from './run-concurrently.ts';

export const parallelSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('parallel'),
      ...everyNode(),
      ...onward(),
      branches: narrowed(
        z.record(nodeId(), block()),
        (branches) => isWithin(Object.keys(branches).length),
        `expected 1 to ${limits.branchesMax} branches`,
        { minProperties: 1, maxProperties: limits.branchesMax },
      ).meta({ description: 'The branches by name, each a scope with nodes of its own.' }),
      join: z.enum(['all', 'first', 'settled']).optional().meta({
        description:
          'Waits for `all`, for the `first` that succeeds, or until all are `settled`, failed or not.',
        default: 'all',
      }),
    })
    .meta({ description: 'Runs branches concurrently; the output is their outputs by name.' }),
);

type ParallelNode = z.infer<ReturnType<typeof parallelSchema>>;

export const parallel: NodeType<ParallelNode> = {
  templates: [],
  isLong: true,
  blocks: ({ branches }) =>
    Object.entries(branches).map(([name, { start, nodes }]) => ({
      path: ['branches', name],
      start,
      nodes,
      names: [],
    })),
  prepare: ({ branches, join = 'all' }) => {
    const names = Object.keys(branches);
    const starts = Object.values(branches).map(({ start }) => start);
    return async (context) =>
      joins[join].step(names, await runAll(names, starts, joins[join].needs, context));
  },
};

const isWithin = (count: number) => count >= 1 && count <= limits.branchesMax;

interface Join {
  readonly needs: (end: ScopeEnd) => 'all' | 'earlier' | 'none';
  readonly step: (names: readonly string[], gathered: ConcurrentEnds) => Step | Paused;
}

const runAll = (
  names: readonly string[],
  starts: readonly string[],
  needs: Join['needs'],
  context: NodeContext,
): Promise<ConcurrentEnds> =>
  runConcurrently({
    count: names.length,
    width: names.length,
    ended: (index) => context.ended(names[index] ?? ''),
    drop: (index) => context.drop(names[index] ?? ''),
    enter: (index) => context.enter(names[index] ?? '', { start: starts[index] ?? '' }),
    needs,
  });

const joins: Readonly<Record<'all' | 'first' | 'settled', Join>> = {
  all: {
    needs: ({ status }) => (status === 'failed' ? 'earlier' : 'all'),
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
  },
  first: {
    needs: ({ status }) => (status === 'completed' ? 'none' : 'all'),
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
  },
  settled: {
    needs: () => 'all',
    step: (names, { ends }) => pausedIfAny(ends) ?? { output: byName(names, ends, toSettledValue) },
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
