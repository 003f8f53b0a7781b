// `store`: reads, writes or deletes a small value that outlives the run.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import { apart, type FieldRule, needs, ruled } from '../format/notes.ts';
import type { NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';
import { keepDays } from './store-key.ts';

/** Loaded only for flows that have one. */
export const stores = lazyModule(() => import('./run-store.ts'));

const oneAction: FieldRule = {
  kind: 'exactlyOne',
  names: ['get', 'put', 'delete'],
  detail: 'expected exactly one of `get`, `put` and `delete`',
  at: [],
};

export const storeSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('store'),
        ...everyNode(),
        ...onward(),
        get: z
          .string()
          .min(1)
          .optional()
          .meta({
            description: 'Key of the value to read; template.',
            examples: ['customer/{{ input.user_variables.id }}'],
          }),
        put: z.string().min(1).optional().meta({ description: 'Key of the value to write; template.' }),
        delete: z.string().min(1).optional().meta({ description: 'Key of the value to delete; template.' }),
        value: json().optional().meta({ description: 'With `put`: any JSON value with templates.' }),
        if_version: json()
          .optional()
          .meta({
            description:
              'The version that the value must have, or `null` if there must be none; otherwise `store.conflict`. Template.',
            examples: ['{{ nodes.read.version }}'],
          }),
        keep_days: keepDays(),
      })
      .meta({
        description:
          'Reads, writes or deletes a small value that outlives the run; the output has its `version`.',
      }),
    [
      oneAction,
      needs('put', 'value', ['put']),
      needs('value', 'put', ['value']),
      needs('keep_days', 'put', ['keep_days']),
      apart(['if_version', 'get'], {}, 'expected no `if_version` together with `get`'),
    ],
  ),
);

type StoreNode = z.infer<ReturnType<typeof storeSchema>>;

export const store: NodeType<StoreNode> = {
  templates: ['get', 'put', 'delete', 'value', 'if_version'],
  prepare: prepareLater(stores),
};
