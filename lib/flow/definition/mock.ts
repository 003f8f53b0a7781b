// What a node does in a test instead of running: it gives an output or fails, each time the same, or one thing after another.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';

/** Makes its node fail. */
export const mockedError = z.strictObject({
  error: z.strictObject({ code: z.string().min(1).max(100), message: z.string().max(1000).optional() }),
});

/**
 * What a mock is that has one of these names alone; any other is an output. In a series the node finds its own by how often it has run,
 * attempts of a retry too, or by the item of the `map` around it.
 */
const marks = ['error', 'in_order', 'by_item'] as const;

export type Mark = (typeof marks)[number];

/** The check of a flow has made sure that what is under the name is right. */
export function markOf(written: Json): { readonly name: Mark; readonly value: Json } | undefined {
  if (!isObject(written)) return undefined;
  const [only, ...others] = Object.entries(written);
  const name = marks.find((mark) => mark === only?.[0]);
  return name && only && others.length === 0 ? { name, value: only[1] } : undefined;
}

export interface Series {
  readonly name: Exclude<Mark, 'error'>;
  /** Outputs, errors, and series inside `by_item`. */
  readonly outcomes: readonly Json[];
}

export function seriesOf(written: Json): Series | undefined {
  const mark = markOf(written);
  if (!mark || mark.name === 'error' || !isList(mark.value)) return undefined;
  return { name: mark.name, outcomes: mark.value };
}
