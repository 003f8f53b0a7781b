// `store`: reads, writes or deletes a small value that outlives the run.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext, Step } from '../engine/node-context.ts';
import { sizeProblem } from '../engine/value-size.ts';
import { type Render, template } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import { apart, type FieldRule, needs, ruled } from '../format/notes.ts';
import type { NodeType } from './node-type.ts';
import { keepDays, requireKey } from './store-key.ts';

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
      apart(['if_version', 'get'], {}, 'expected no `if_version` beside `get`'),
    ],
  ),
);

type StoreNode = z.infer<ReturnType<typeof storeSchema>>;

export const store: NodeType<StoreNode> = {
  templates: ['get', 'put', 'delete', 'value', 'if_version'],
  prepare: (node) => {
    const key = template(node.get ?? node.put ?? node.delete ?? '');
    if (node.get !== undefined) return async (context) => await read(context, await keyAt(key, context));
    const write = prepareWrite(node);
    return async (context) => await write(context, await keyAt(key, context));
  },
};

const keyAt = async (key: Render, { at }: NodeContext): Promise<string> => requireKey(await key(at));

async function read(context: NodeContext, key: string): Promise<Step> {
  const stored = await context.readStored({ space: 'value', key });
  const { value = null, version = null } = stored ?? {};
  return {
    output: { found: stored !== undefined, value, version },
    note: stored ? `${key}: ${preview(value)}` : `${key}: no value`,
  };
}

function prepareWrite(node: StoreNode): (context: NodeContext, key: string) => Promise<Step> {
  const value = node.value === undefined ? undefined : template(node.value);
  const condition = node.if_version === undefined ? undefined : template(node.if_version);
  return async (context, key) => {
    const ifVersion = condition && requireVersion(await condition(context.at));
    const version = await context.writeStored({
      space: 'value',
      key,
      value: value && requireSmall(await value(context.at)),
      ...(ifVersion !== undefined && { ifVersion }),
      writer: context.idempotencyKey,
      keepDays: node.keep_days ?? limits.storeDaysDefault,
    });
    if (version === undefined)
      throw new NodeError('store.conflict', `"${key}" has another version than if_version says.`);
    return value
      ? { output: { version }, note: `${key}: written` }
      : { output: { version: null }, note: `${key}: deleted` };
  };
}

function requireVersion(value: Json): string | null {
  if (value === null || (typeof value === 'string' && value !== '')) return value;
  throw new NodeError('store.bad_version', 'if_version: expected the version of a value, or null.');
}

function requireSmall(value: Json): Json {
  const problem = sizeProblem(value, limits.storedValueBytes);
  if (problem === undefined) return value;
  throw new NodeError('value.too_large', `value: ${problem}.`);
}
