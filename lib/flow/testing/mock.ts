// What a node does in a test instead of running: it gives an output or fails, each time the same, or one thing after another.
import * as z from 'zod';
import type { Json } from '#lib/json.ts';
import { isList, isObject } from '../json-value.ts';

/** Makes its node fail. */
export const mockedError = z.strictObject({
  error: z.strictObject({ code: z.string().min(1).max(100), message: z.string().max(1000).optional() }),
});

/** How the node finds its own among several: by how often it has run, attempts of a retry too, or by the item of the `map` around it. */
const series = ['in_order', 'by_item'] as const;

export type Mock = {
  readonly series?: (typeof series)[number];
  /** Without a series, one for all times. */
  readonly outcomes: readonly Outcome[];
};

interface Outcome {
  /** In the mock as it is written. */
  readonly path: readonly (string | number)[];
  /** An output, or `{error}`. */
  readonly value: Json;
}

export function mockOf(written: Json): Mock {
  for (const name of series) {
    const list = isObject(written) && Object.keys(written).length === 1 ? written[name] : undefined;
    if (isList(list))
      return { series: name, outcomes: list.map((value, index) => ({ path: [name, index], value })) };
  }
  return { outcomes: [{ path: [], value: written }] };
}
