// `map`: runs its body once for each item of a list, with bounded concurrency, each in a scope of its own.
// Its output is the list of their outputs.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { isList } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { block, everyNode, json, onward } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import { expressionText, isOneExpression } from './expression-field.ts';
import { mergeField } from './merge-field.ts';
import type { NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';

/** Loaded only for flows that have one. */
export const itemRuns = lazyModule(() => import('./run-map.ts'));

export const mapSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('map'),
      ...everyNode(),
      ...onward(),
      items: narrowed(
        json(),
        (items) => isList(items) || isOneExpression(items),
        'expected a list, or one expression that gives a list',
        { anyOf: [{ type: 'array' }, expressionText] },
      ).meta({
        description: `One expression that gives a list, or a list with templates; at most ${limits.mapItemsMax} items.`,
        examples: ['{{ input.user_variables.documents }}'],
      }),
      body: block().meta({
        description: 'The scope that runs for each item; its nodes see `item` and `index`.',
      }),
      max_concurrency: z.int().min(1).max(limits.concurrencyMax).optional().meta({
        description: 'How many items are processed concurrently.',
        default: limits.concurrencyDefault,
      }),
      on_error: z.enum(['fail', 'collect', 'skip']).optional().meta({
        description:
          'After an error of an item: `fail` the node, `collect` the error as its output, or `skip` the item.',
        default: 'fail',
      }),
      merge: mergeField().optional(),
    })
    .meta({
      description:
        'Runs its body once for each item of a list; the output is the list of their outputs, in order.',
    }),
);

type MapNode = z.infer<ReturnType<typeof mapSchema>>;

export const map: NodeType<MapNode> = {
  templates: ['items'],
  onlyComputes: true,
  isLong: true,
  blocks: ({ body: { start, nodes } }) => [{ path: ['body'], start, nodes, names: ['item', 'index'] }],
  uses: ({ items }) => ({ times: isList(items) ? items.length : limits.mapItemsMax }),
  prepare: prepareLater(itemRuns),
};
