// Runs a `store` node. Loaded with the first flow that has one.
import type { Json } from '#lib/json/json.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext, RunNode, Step } from '../engine/node-context.ts';
import { sizeProblem } from '../engine/value-size.ts';
import { type Render, template } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { requireKey } from './store-key.ts';

interface StoreFields {
  readonly get?: string | undefined;
  readonly put?: string | undefined;
  readonly delete?: string | undefined;
  readonly value?: Json | undefined;
  readonly if_version?: Json | undefined;
  readonly keep_days?: number | undefined;
}

export function prepareRun(node: StoreFields): RunNode {
  const key = template(node.get ?? node.put ?? node.delete ?? '');
  if (node.get !== undefined) return async (context) => await read(context, await keyAt(key, context));
  const write = prepareWrite(node);
  return async (context) => await write(context, await keyAt(key, context));
}

const keyAt = async (key: Render, { at }: NodeContext): Promise<string> => requireKey(await key(at));

async function read(context: NodeContext, key: string): Promise<Step> {
  const stored = await context.readStored({ space: 'value', key });
  const { value = null, version = null } = stored ?? {};
  return {
    output: { found: stored !== undefined, value, version },
    note: stored ? `${key}: ${preview(value)}` : `${key}: no value`,
  };
}

function prepareWrite(node: StoreFields): (context: NodeContext, key: string) => Promise<Step> {
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
