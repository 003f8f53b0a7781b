// The fields of each node type as a builder takes them: those of its schema, where an expression, another node or a
// scope may be in place of a text. Types only; they follow from the table of schemas.
import type * as z from 'zod';
import type { nodeSchemas } from '#lib/flow/definition/node-types.ts';
import type { Json } from '#lib/json/json.ts';
import type { Expression } from './expression.ts';
import type { Schema } from './schema-type.ts';

type Schemas = typeof nodeSchemas;
export type TypeName = keyof Schemas;

/** A node that was added to the flow. */
export interface NodeRef<out Output = unknown> {
  readonly id: string;
  readonly type: TypeName;
  /** What the node gives, for the nodes after it. */
  readonly output: Output;
}

/** JSON with expressions in it. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Expression
  | readonly Value[]
  | { readonly [name: string]: Value | undefined };

/** The fields whose value is the id of a node. `test/unit/builder` compares them with the schemas. */
export const idFields = ['next', 'default', 'on_timeout', 'on_max_visits'] as const;
type IdField = (typeof idFields)[number];

/** The fields whose value is a JSON Schema. */
type SchemaField = 'output_schema' | 'schema' | 'parameters';

/**
 * The fields of a node type, without `type`. Those in `Given` have the types there: they are inferred, because the type
 * of the output depends on them.
 */
export type Fields<Type extends TypeName, Id extends string, Scope, Given> = {
  readonly [Name in keyof Input<Type> as Exclude<Name, 'type'>]: Name extends keyof Given
    ? Given[Name]
    : Field<Input<Type>[Name], Name, Id, Scope>;
};

export type Input<Type extends TypeName> = z.input<ReturnType<Schemas[Type]>>;

export type Field<T, Name, Id extends string, Scope> = Name extends IdField
  ? Exclude<T, string> | Id | NodeRef
  : Json extends T
    ? Value | Exclude<T, Json>
    : Part<T, Name, Id, Scope>;

type Part<T, Name, Id extends string, Scope> = T extends string
  ? string extends T
    ? string | Expression
    : T
  : T extends { start: string; nodes: Record<string, Json> }
    ? Block<Scope>
    : T extends readonly (infer Item)[]
      ? readonly Field<Item, number, Id, Scope>[]
      : T extends object
        ? Name extends SchemaField
          ? Schema
          : { readonly [Each in keyof T]: Field<T[Each], Each, Id, Scope> | Absent<Each> }
        : T;

/** A member that is undefined is left out. With `noUncheckedIndexedAccess`, members of unknown values may be. */
type Absent<Name> = string extends Name ? undefined : never;

/** Adds the nodes of a scope inside a node. The scope starts with the first, or with the node that is returned. */
export type Block<Scope> = (scope: Scope) => NodeRef | undefined;
