// The nodes of a flow while it is built, and how they become JSON.
import { findNodeType, isNode, nodeTypes } from '#lib/flow/definition/node-types.ts';
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import { nodeIdPattern } from '#lib/flow/format/node-fields.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isExpression, path } from './expression.ts';
import { isZodSchema, toJsonSchema } from './schema-type.ts';

/** The nodes of one scope. */
export interface Draft {
  readonly nodes: Map<string, JsonObject>;
  /** Shared by all scopes of a flow. */
  readonly all: {
    readonly ids: Set<string>;
    /** What is wrong in scopes inside nodes. */
    readonly mistakes: string[];
  };
}

export const newDraft = (all: Draft['all'] = { ids: new Set(), mistakes: [] }): Draft => ({
  ...{ nodes: new Map(), all },
});

type Given = Readonly<Record<string, unknown>>;

/** The functions that add nodes to the scope, by node type. */
export const listFunctions = (draft: Draft): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(nodeTypes).map((type) => [
      type,
      (id: string, fields: Given) => addNode(draft, type, id, fields),
    ]),
  );

const added = new WeakSet<object>();

function addNode(draft: Draft, type: string, id: string, fields: Given) {
  const { nodes, all } = draft;
  if (!nodeIdPattern.test(id))
    throw new Error(`"${id}" is not an id: expected a lower-case letter, then up to 63 of a-z, 0-9 and _.`);
  if (all.ids.has(id)) throw new Error(`The flow has two nodes with the id "${id}".`);
  all.ids.add(id);
  nodes.set(id, { type, ...printObject(fields, all) });
  const node = {
    ...{ id, type, output: path(`nodes.${id}`) },
    [Symbol.toPrimitive]: () => refuseText(id),
  };
  added.add(node);
  return node;
}

/** What a node is in text, its id or its output, only the author knows. */
function refuseText(id: string): never {
  throw new Error(
    `The node "${id}" is neither text nor an expression: use \`.output\` for what it gives, or \`.id\`.`,
  );
}

/** Expressions become templates, nodes their ids, schemas of zod JSON Schema, and functions the scope that they fill. */
function print(value: unknown, all: Draft['all']): Json {
  if (isExpression(value)) return String(value);
  if (isFunction(value)) return printScope(value, all);
  if (isList(value)) return value.map((item) => print(item, all));
  if (typeof value !== 'object' || value === null) return requireJson(value);
  if (added.has(value) && 'id' in value) return String(value.id);
  return printObject({ ...(isZodSchema(value) ? toJsonSchema(value) : value) }, all);
}

const printObject = (object: Given, all: Draft['all']): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, print(value, all)]],
    ),
  );

function requireJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`Expected JSON or an expression, got ${typeof value === 'number' ? value : typeof value}.`);
}

type FillScope = (scope: Readonly<Record<string, unknown>>) => unknown;

const isFunction = (value: unknown): value is FillScope => typeof value === 'function';

function printScope(fill: FillScope, all: Draft['all']): JsonObject {
  const draft = newDraft(all);
  const first = fill({ ...listFunctions(draft), item: path('item'), index: path('index') });
  const start = isObject(first) && added.has(first) ? String(first.id) : undefined;
  all.mistakes.push(...findUnknownIds(draft, start));
  return printNodes(draft, start);
}

const printNodes = ({ nodes }: Draft, start: string | undefined) => ({
  start: start ?? [...nodes.keys()][0] ?? '',
  nodes: Object.fromEntries(nodes),
});

function findUnknownIds({ nodes }: Draft, start: string | undefined): readonly string[] {
  const unknown = [...nodes].flatMap(([id, node]) =>
    listTargets(node)
      .filter((target) => !nodes.has(target))
      .map((target) => `the node "${id}" leads to "${target}", which no node of its scope has as its id`),
  );
  if (nodes.size === 0) return ['a scope has no nodes'];
  return start === undefined || nodes.has(start)
    ? unknown
    : [`the flow starts with "${start}", which no node has as its id`, ...unknown];
}

/** The ids of the nodes that may come after it. */
function listTargets(node: JsonObject): readonly string[] {
  const catchers = isList(node.catch) ? node.catch : [];
  const next = [node, ...catchers].map((one) => (isObject(one) ? one.next : undefined));
  const others = isNode(node) ? (findNodeType(node.type)?.targets?.(node) ?? []) : [];
  return [...next, ...others.map(({ id }) => id)].filter((id) => typeof id === 'string');
}

/** The flow as JSON. `ids` are those that must have nodes. */
export function printDraft(draft: Draft, { start, ...head }: Given, ids: readonly string[]): JsonObject {
  const { nodes, all } = draft;
  const first = typeof start === 'string' ? start : undefined;
  const missing = ids.filter((id) => !nodes.has(id)).map((id) => `the id "${id}" has no node`);
  const mistakes = [...findUnknownIds(draft, first), ...missing, ...all.mistakes];
  if (mistakes.length > 0) throw new Error(`The flow is not complete: ${mistakes.slice(0, 20).join('; ')}.`);
  return { version: 1, ...printObject(head, all), ...printNodes(draft, first) };
}
