// The fields of a node type, read from the published JSON Schema of flows, and the least that a new node has. Pure.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isLongText, listOptions } from '../parts/schema-control.ts';
import type { Schema } from './schema-keys.ts';

export interface NodeFieldSpec {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly defaultValue: string | undefined;
  /**
   * `text` and `lines` are texts of one and of several lines, which may have expressions; `node` is the id of a node;
   * `value` is any JSON, mostly an expression; `source` is an object or a list; `nodes` has nodes inside.
   */
  readonly kind: 'text' | 'lines' | 'number' | 'choice' | 'node' | 'value' | 'source' | 'nodes';
  readonly options: readonly (string | boolean)[];
  readonly schema: Schema;
}

/** Fields of each node come last; `type` and what other editors store are none. */
const common = [
  'next',
  'title',
  'catch',
  'retry',
  'timeout_seconds',
  'assign',
  'max_visits',
  'on_max_visits',
];
const hidden = ['type', 'ui'];

export function listNodeTypes(root: Schema): readonly { name: string; description: string | undefined }[] {
  return (root.$defs?.node?.oneOf ?? []).flatMap((each) => {
    const { properties, description } = follow(root, each);
    const name = properties?.type?.const;
    return typeof name === 'string' ? [{ name, description }] : [];
  });
}

export function listFields(root: Schema, type: string): readonly NodeFieldSpec[] {
  const { properties = {}, required = [] } = schemaOf(root, type) ?? {};
  const names = Object.keys(properties).filter((name) => !hidden.includes(name));
  const own = names.filter((name) => !common.includes(name));
  const sorted = own.toSorted((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  return [...sorted, ...common.filter((name) => names.includes(name))].map((name) => {
    const schema = properties[name] ?? {};
    return {
      name,
      description: schema.description ?? follow(root, schema).description,
      isRequired: required.includes(name),
      defaultValue: schema.default === undefined ? undefined : String(schema.default),
      kind: kindOf(root, schema),
      options: listOptions(schema),
      schema,
    };
  });
}

const schemaOf = (root: Schema, type: string): Schema | undefined =>
  root.$defs?.node?.oneOf
    ?.map((each) => follow(root, each))
    .find(({ properties }) => properties?.type?.const === type);

const nameOfRef = ({ $ref = '' }: Schema): string => $ref.replace('#/$defs/', '');
const follow = (root: Schema, schema: Schema): Schema => root.$defs?.[nameOfRef(schema)] ?? schema;

function kindOf(root: Schema, schema: Schema): NodeFieldSpec['kind'] {
  const ref = nameOfRef(schema);
  if (ref === 'node_id') return 'node';
  if (ref === 'value') return 'value';
  const inner = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  if (ref === 'block' || nameOfRef(inner) === 'block') return 'nodes';
  if (listOptions(schema).length > 0) return 'choice';
  const types = [follow(root, schema), ...(schema.anyOf ?? [])].map(({ type }) => type);
  if (types.includes('number') || types.includes('integer')) return 'number';
  if (types[0] !== 'string') return types.includes('string') ? 'value' : 'source';
  return isLongText(follow(root, schema)) ? 'lines' : 'text';
}

/** With its required fields, empty: the check names what they need. */
export function createNode(root: Schema, type: string, id: string): JsonObject {
  const fields = listFields(root, type).filter(({ isRequired }) => isRequired);
  return { type, ...Object.fromEntries(fields.map((each) => [each.name, emptyValue(root, each, id)])) };
}

function emptyValue(root: Schema, { kind, name, options, schema }: NodeFieldSpec, id: string): Json {
  if (kind === 'choice') return options[0] ?? '';
  if (kind === 'number') return 0;
  if (kind === 'source') return follow(root, schema).type === 'array' ? [] : {};
  if (kind !== 'nodes') return '';
  const inner = `${id}_${name === 'branches' ? 'one' : 'each'}`;
  const block = { start: inner, nodes: { [inner]: { type: 'transform', output: '' } } };
  return name === 'branches' ? { one: block } : block;
}
