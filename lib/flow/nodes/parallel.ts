// `parallel`: runs branches concurrently, each in a scope of its own. Its output is an object with their
// outputs, by name.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { block, everyNode, nodeId, onward } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import { mergeField } from './merge-field.ts';
import type { NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';

/** Loaded only for flows that have one. */
export const branchRuns = lazyModule(() => import('./run-parallel.ts'));

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
      merge: mergeField().optional(),
    })
    .meta({ description: 'Runs branches concurrently; the output is their outputs by name.' }),
);

type ParallelNode = z.infer<ReturnType<typeof parallelSchema>>;

export const parallel: NodeType<ParallelNode> = {
  templates: [],
  onlyComputes: true,
  isLong: true,
  blocks: ({ branches }) =>
    Object.entries(branches).map(([name, { start, nodes }]) => ({
      path: ['branches', name],
      start,
      nodes,
      names: [],
    })),
  prepare: prepareLater(branchRuns),
};

const isWithin = (count: number) => count >= 1 && count <= limits.branchesMax;
