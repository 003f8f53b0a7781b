// What is known of a value before a run: its kind, and the members that it can have. It comes from a JSON Schema, or
// from the literal parts of a template.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { isOneExpression } from '../nodes/expression-field.ts';

export type Shape = ScalarShape | ListShape | ObjectShape;

interface ScalarShape {
  /** `undefined`: nothing is known. */
  readonly kind: 'text' | 'number' | 'boolean' | undefined;
}

interface ListShape {
  readonly kind: 'list';
  readonly item: () => Shape;
}

export interface ObjectShape {
  readonly kind: 'object';
  /** Undefined for a member that is not known. */
  readonly find: (name: string) => Shape | undefined;
  /** All members, if the value can have no others. */
  readonly names: (() => readonly string[]) | undefined;
  readonly isAlwaysThere: (name: string) => boolean;
  /** The member that most readers want, for messages. */
  readonly main?: string;
  /** What to write instead of a member that it cannot have, if that is not another member. */
  readonly cure?: (name: string) => string | undefined;
}

export const unknownShape: Shape = { kind: undefined };
export const textShape: Shape = { kind: 'text' };
export const numberShape: Shape = { kind: 'number' };

/** An object with these members and no others. */
export const closedShape = (
  members: Readonly<Record<string, Shape>>,
  main?: string,
  isOptional: (name: string) => boolean = () => false,
): ObjectShape => ({
  kind: 'object',
  find: (name) => (Object.hasOwn(members, name) ? members[name] : undefined),
  names: () => Object.keys(members),
  isAlwaysThere: (name) => Object.hasOwn(members, name) && !isOptional(name),
  ...(main !== undefined && { main }),
});

/** A schema may refer to itself. */
const referencesMax = 10;

export function schemaShape(
  schema: Json | undefined,
  root: Json | undefined = schema,
  references = 0,
): Shape {
  if (!isObject(schema) || references > referencesMax) return unknownShape;
  if (typeof schema.$ref === 'string') {
    const [, name] = /^#\/\$defs\/(.+)$/.exec(schema.$ref) ?? [];
    const defs = isObject(root) && isObject(root.$defs) ? root.$defs : {};
    const target = name !== undefined && Object.hasOwn(defs, name) ? defs[name] : undefined;
    return schemaShape(schema.$ref === '#' ? root : target, root, references + 1);
  }
  return shapeOfType(readType(schema), schema, root);
}

/** Of a value that is an object whatever its schema. */
export const objectSchemaShape = (schema: Json | undefined): Shape =>
  isObject(schema) && schema.$ref === undefined ? shapeOfType('object', schema, schema) : schemaShape(schema);

/** A list in a schema that is read for each path is read up to here. */
const readMax = 100;

/** A type beside `null` counts: a value that is null has no members either. */
function readType({ type, enum: values, const: value }: JsonObject): Json | undefined {
  const types = (isList(type) ? type.slice(0, readMax) : [type]).filter((one) => one !== 'null');
  if (type !== undefined) return types.length === 1 ? types[0] : undefined;
  const choices = isList(values) ? values : [value];
  if (choices.length === 0 || choices.length > readMax) return undefined;
  return choices.every((one) => typeof one === 'string') ? 'string' : undefined;
}

function shapeOfType(type: Json | undefined, schema: JsonObject, root: Json | undefined): Shape {
  switch (type) {
    case 'string':
      return textShape;
    case 'number':
    case 'integer':
      return numberShape;
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return {
        kind: 'list',
        item: () => (schema.prefixItems ? unknownShape : schemaShape(schema.items, root)),
      };
    case 'object':
      return objectShape(schema, root);
    default:
      return unknownShape;
  }
}

function objectShape(schema: JsonObject, root: Json | undefined): ObjectShape {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const { required } = schema;
  return {
    kind: 'object',
    find: (name) => (Object.hasOwn(properties, name) ? schemaShape(properties[name], root) : undefined),
    names: schema.additionalProperties === false ? () => Object.keys(properties) : undefined,
    isAlwaysThere: (name) => isList(required) && (required.length > readMax || required.includes(name)),
  };
}

/** Of a JSON value whose texts may be templates. */
export function templateShape(value: Json | undefined): Shape {
  if (typeof value === 'string')
    return hasTemplate(value) && isOneExpression(value) ? unknownShape : textShape;
  if (typeof value === 'number') return numberShape;
  if (typeof value === 'boolean') return { kind: 'boolean' };
  if (isList(value)) return { kind: 'list', item: () => unknownShape };
  if (!isObject(value)) return unknownShape;
  return {
    kind: 'object',
    find: (name) => (Object.hasOwn(value, name) ? templateShape(value[name]) : undefined),
    names: () => Object.keys(value),
    isAlwaysThere: (name) => Object.hasOwn(value, name),
  };
}

/** A path into a value. */
export interface ReadPath {
  /** Undefined if the path ends at a member that the value cannot have. */
  readonly shape: Shape | undefined;
  /** The value that lacks the member, and the position of the member in the path. */
  readonly missing?: { readonly within: Shape; readonly at: number };
  readonly isAlwaysThere: boolean;
  /** Whether a schema or a template names the whole path. */
  readonly isDeclared: boolean;
}

/** Reads the names from `from` on. A list is mapped over, as in JSONata. */
export function readShape(root: Shape, names: readonly string[], from: number): ReadPath {
  let shape = root;
  let isAlwaysThere = true;
  for (let at = from; at < names.length; at++) {
    const name = names[at] ?? '';
    while (shape.kind === 'list') {
      shape = shape.item();
      isAlwaysThere = false;
    }
    if (shape.kind === undefined) return { shape, isAlwaysThere: false, isDeclared: false };
    const member = shape.kind === 'object' ? shape.find(name) : undefined;
    if (!member && shape.kind === 'object' && !shape.names)
      return { shape: unknownShape, isAlwaysThere: false, isDeclared: false };
    if (!member)
      return { shape: undefined, missing: { within: shape, at }, isAlwaysThere: false, isDeclared: false };
    isAlwaysThere &&= shape.kind === 'object' && shape.isAlwaysThere(name);
    shape = member;
  }
  return { shape, isAlwaysThere, isDeclared: true };
}
