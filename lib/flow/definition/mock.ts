// What a node does in a test instead of running: it gives an output or fails, always the same or one after the other.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import { json } from '../format/node-fields.ts';

/** Makes its node fail. */
export const mockedError = z.strictObject({
  error: z.strictObject({
    code: z.string().min(1).max(100),
    message: z.string().max(1000).optional(),
    response: z.record(z.string(), json()).optional(),
  }),
});

/**
 * A mock that has one of these members alone is an error or a series; any other mock is an output. In a series, the
 * outcome is selected by how often the node has run, including the attempts of a retry (`in_order`), or by the item
 * of the `map` around it (`by_item`).
 */
const marks = ['error', 'in_order', 'by_item'] as const;

export type MockMark = (typeof marks)[number];

/** The check of a flow ensures that the value is right. */
export function parseMark(mock: Json): { readonly name: MockMark; readonly value: Json } | undefined {
  if (!isObject(mock)) return undefined;
  const [only, ...others] = Object.entries(mock);
  const name = marks.find((mark) => mark === only?.[0]);
  return name && only && others.length === 0 ? { name, value: only[1] } : undefined;
}

export interface Series {
  readonly name: Exclude<MockMark, 'error'>;
  /** Outputs, errors, and series inside `by_item`. */
  readonly outcomes: readonly Json[];
}

export function parseSeries(mock: Json): Series | undefined {
  const mark = parseMark(mock);
  if (!mark || mark.name === 'error' || !isList(mark.value)) return undefined;
  return { name: mark.name, outcomes: mark.value };
}
