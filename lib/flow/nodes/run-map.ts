// Runs a `map` node. Loaded with the first flow that has one.
import type { Json } from '#lib/json/json.ts';
import type { Paused, RunNode, ScopeEnd, Step } from '../engine/node-context.ts';
import { typedTemplate } from '../expression/template.ts';
import { isList } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
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

type OnError = 'fail' | 'collect' | 'skip';

interface MapFields {
  readonly items: Json;
  readonly body: { readonly start: string };
  readonly max_concurrency?: number | undefined;
  readonly on_error?: OnError | undefined;
  readonly merge?: Merges | undefined;
}

export function prepareRun(node: MapFields): RunNode {
  const {
    body,
    max_concurrency: width = limits.concurrencyDefault,
    on_error: onError = 'fail',
    merge,
  } = node;
  const render = typedTemplate(node.items);
  return async (context) => {
    const items = requireItems(await render(context.at));
    const started = startMerge(context, merge);
    const { ends } = await runConcurrently({
      count: items.length,
      width,
      ended: (index) => context.ended(String(index)),
      drop: (index) => context.drop(String(index)),
      enter: (index) =>
        context.enter(String(index), {
          start: body.start,
          item: items[index] ?? null,
          index,
          merge: started,
        }),
      needs: ({ status }) => (onError === 'fail' && status === 'failed' ? 'earlier' : 'all'),
    });
    const step = toStep(ends, onError);
    const state = 'pause' in step ? undefined : mergeEnds(context, merge, ends);
    return state ? { ...step, state } : step;
  };
}

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
