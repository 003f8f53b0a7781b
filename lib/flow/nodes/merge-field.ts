// The field `merge` of `parallel` and `map`.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { stateName } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';

export const mergeRules = ['append', 'sum', 'min', 'max', 'merge', 'last'] as const;
export type MergeRule = (typeof mergeRules)[number];
export type Merges = Readonly<Record<string, MergeRule>>;

export const mergeField = /* @__PURE__ */ lazy(() =>
  narrowed(
    z.record(stateName(), z.enum(mergeRules)),
    (merges) => {
      const count = Object.keys(merges).length;
      return count >= 1 && count <= limits.mergesMax;
    },
    `expected 1 to ${limits.mergesMax} variables`,
    { minProperties: 1, maxProperties: limits.mergesMax },
  ).meta({
    description:
      'Rules by which variables that the scopes set are merged into the state around them, by name.',
    examples: [{ rows: 'append', total: 'sum' }],
  }),
);
