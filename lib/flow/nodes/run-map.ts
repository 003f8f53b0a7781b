// Runs a `map` node. Loaded with the first flow that has one.
import type { Json } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Paused, RunNode, ScopeEnd, Step } from '../engine/node-context.ts';
import { typedTemplate } from '../expression/template.ts';
import { isList } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { Merges } from './merge-field.ts';
import { mergeEnds, startMerge } from './merge-state.ts';
import {
  type ConcurrentEnds,
  type ConcurrentScopes,
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
      neededBefore: createBound(onError),
    });
    const step = toStep(ends, onError, context.nodeId);
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

/**
 * Once the outputs together are too large, the node fails. Which error it fails with does not depend on which
 * item was faster: with `fail`, the items before may fail first.
 */
function createBound(onError: OnError): ConcurrentScopes['neededBefore'] {
  let bytes = listBytes;
  let highest = 0;
  return (end, index) => {
    if (onError === 'fail' && end.status === 'failed') return index;
    bytes += outputBytes(end, onError);
    highest = Math.max(highest, index);
    if (bytes <= limits.variableBytes) return Number.POSITIVE_INFINITY;
    return onError === 'fail' ? highest + 1 : 0;
  };
}

/** Of the JSON of an empty list, without the comma that the first item does not have. */
const listBytes = 1;

/** With the comma before it. */
const outputBytes = (end: ScopeEnd | undefined, onError: OnError): number =>
  toValues(end, onError).reduce<number>((sum, value) => sum + jsonBytes(value, limits.variableBytes) + 1, 0);

/** The item with which the outputs, in their order, become too large. */
function findOverflow(ends: ConcurrentEnds['ends'], onError: OnError): number | undefined {
  let bytes = listBytes;
  const index = ends.findIndex((end) => {
    bytes += outputBytes(end, onError);
    return bytes > limits.variableBytes;
  });
  return index < 0 ? undefined : index;
}

/** Such outputs would be refused as the output of the node. */
function failIfTooLarge(ends: ConcurrentEnds['ends'], onError: OnError, nodeId: string): void {
  const overflow = findOverflow(ends, onError);
  const counted = overflow === undefined ? ends : ends.slice(0, overflow + 1);
  const failure = onError === 'fail' ? firstFailure(counted, (index) => `Item ${index}`) : undefined;
  if (failure) throw failure;
  if (overflow === undefined || (onError === 'fail' && pausedIfAny(counted))) return;
  throw new NodeError(
    'value.too_large',
    `nodes.${nodeId}: expected at most ${limits.variableBytes} bytes of JSON.`,
  );
}

function toStep(ends: ConcurrentEnds['ends'], onError: OnError, nodeId: string): Step | Paused {
  failIfTooLarge(ends, onError, nodeId);
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
