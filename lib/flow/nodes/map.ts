// `map`: runs its body once for each item of a list, with bounded concurrency, each in a scope of its own.
// Its output is the list of their outputs.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { Paused, ScopeEnd, Step } from '../engine/node-context.ts';
import { typedTemplate } from '../expression/template.ts';
import { isList } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { block, everyNode, json, onward } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import { expressionText, isOneExpression } from './expression-field.ts';
import type { NodeType } from './node-type.ts';
import {
  type ConcurrentEnds,
  errorValue,
  firstFailure,
  pausedIfAny,
  runConcurrently,
} from './run-concurrently.ts';

type OnError = 'fail' | 'collect' | 'skip';

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
    })
    .meta({
      description:
        'Runs its body once for each item of a list; the output is the list of their outputs, in order.',
    }),
);

type MapNode = z.infer<ReturnType<typeof mapSchema>>;

export const map: NodeType<MapNode> = {
  templates: ['items'],
  isLong: true,
  blocks: ({ body: { start, nodes } }) => [{ path: ['body'], start, nodes, names: ['item', 'index'] }],
  uses: ({ items }) => ({ times: isList(items) ? items.length : limits.mapItemsMax }),
  prepare: (node) => {
    const { body, max_concurrency: width = limits.concurrencyDefault, on_error: onError = 'fail' } = node;
    const render = typedTemplate(node.items);
    return async (context) => {
      const items = requireItems(await render(context.at));
      const { ends } = await runConcurrently({
        count: items.length,
        width,
        ended: (index) => context.ended(String(index)),
        drop: (index) => context.drop(String(index)),
        enter: (index) =>
          context.enter(String(index), { start: body.start, item: items[index] ?? null, index }),
        needs: ({ status }) => (onError === 'fail' && status === 'failed' ? 'earlier' : 'all'),
      });
      return toStep(ends, onError);
    };
  },
};

function requireItems(items: Json): readonly Json[] {
  if (!isList(items)) {
    const got = items === null ? 'nothing' : `a value of type ${typeof items}`;
    throw new NodeError(
      'map.not_list',
      `items: expected a list, got ${got}. Write {{ [ … ] }} around an expression that may find one thing or none.`,
    );
  }
  if (items.length <= limits.mapItemsMax) return items;
  throw new NodeError('map.too_many', `items: expected at most ${limits.mapItemsMax}, got ${items.length}.`);
}

function toStep(ends: ConcurrentEnds['ends'], onError: OnError): Step | Paused {
  const failure = onError === 'fail' ? firstFailure(ends, (index) => `Item ${index}`) : undefined;
  if (failure) throw failure;
  const paused = pausedIfAny(ends);
  if (paused) return paused;
  const failed = ends.filter((end) => end?.status === 'failed').length;
  return {
    output: ends.flatMap((end) => toValues(end, onError)),
    note: `${ends.length} items${failed > 0 ? `, of which ${failed} failed` : ''}`,
  };
}

function toValues(end: ScopeEnd | undefined, onError: OnError): readonly Json[] {
  if (end?.status === 'completed') return [end.output];
  return end?.status === 'failed' && onError === 'collect' ? [{ error: errorValue(end.error) }] : [];
}
