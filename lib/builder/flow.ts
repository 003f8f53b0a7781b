// Builds a flow in TypeScript: a function for each node type adds a node, and what the node gives is a typed path. The
// result is the JSON of the flow, which `checkFlow` checks like any other.
import type * as z from 'zod';
import type { flowSchema } from '#lib/flow/definition/flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { type Draft, listFunctions, newDraft, printDraft } from './draft.ts';
import { type Expression, type Path, path } from './expression.ts';
import type { Block, Field, Fields, Input, NodeRef, TypeName, Value } from './fields.ts';
import type { GivenFields, OutputOf, StateType, ValueType } from './output.ts';
import type { Schema, TypeFrom } from './schema-type.ts';

/** What a flow has beside its nodes. */
export type Head<Id extends string, S, O, State> = {
  readonly [Name in keyof FlowInput as Exclude<
    Name,
    'version' | 'nodes' | 'start' | 'input' | 'output' | 'state'
  >]: Field<FlowInput[Name], Name, Id, never>;
} & {
  /** JSON Schema, or a schema of zod, of the variables that start a run: the type of `input.user_variables`. */
  readonly input?: S;
  /** JSON Schema, or a schema of zod, of the response. */
  readonly output?: O;
  /** The variables of the run with their initial values. */
  readonly state?: State;
  /** The ids of all nodes of the flow itself: with them, the compiler checks each id. */
  readonly ids?: readonly Id[];
  /** The id of the first node. It defaults to the node that is added first. */
  readonly start?: NoInfer<Id>;
};

type FlowInput = z.input<typeof flowSchema>;

/** Adds a node with this id, and returns it. Throws an `Error` if the id was used before. */
type AddNode<Type extends TypeName, Id extends string> = <
  const S extends Schema | undefined = undefined,
  const Response extends Input<'http'>['response'] = undefined,
  const Select extends string | Expression | undefined = undefined,
  const Accept extends Input<'http'>['accept'] | Readonly<Input<'http'>['accept']> = undefined,
  const Output extends Value = null,
  const Choices extends string | Expression | readonly (string | Expression)[] | undefined = undefined,
  const Join extends Input<'parallel'>['join'] = undefined,
  const Items extends Value = null,
  const Branch extends string = string,
>(
  id: Id,
  fields: Fields<
    Type,
    Id,
    Scope<ItemType<Items>>,
    GivenFields<S, Response, Select, Accept, Output, Choices, Join> & {
      readonly items: Items;
      readonly branches: Readonly<Record<Branch, Block<Scope>>>;
    }
  >,
) => NodeRef<Path<OutputOf<Type, GivenFields<S, Response, Select, Accept, Output, Choices, Join>, Branch>>>;

type ItemType<Items> = ValueType<Items> extends readonly (infer Item)[] ? Item : unknown;

/** One function for each node type. */
export type AddNodes<Id extends string> = { readonly [Type in TypeName]: AddNode<Type, Id> };

/** Adds the nodes of a scope inside a node: of a branch, or of the body of a map with its item. */
export interface Scope<Item = unknown> extends AddNodes<string> {
  readonly item: Path<Item>;
  readonly index: Path<number>;
}

/** What the expressions of a flow can read, beside the outputs of nodes. */
interface Names<Id extends string, S, State> {
  readonly input: Path<{
    readonly message: string;
    readonly user_variables: S extends Schema ? TypeFrom<S> : unknown;
    readonly event: { readonly event: string; readonly data: unknown };
    readonly a2a: unknown;
  }>;
  readonly state: Path<State extends object ? StateType<State> : unknown>;
  /** Variables of the environment. */
  readonly env: Path;
  readonly run: Path<{ readonly id: string; readonly started_at: string; readonly turn: number }>;
  /**
   * The outputs of all nodes, of unknown types: for a node itself, one that is added later, and the error after a
   * `catch`, such as `nodes.order.error.code`.
   */
  readonly nodes: Path<string extends Id ? unknown : { readonly [Each in Id]: unknown }>;
  /** In `assign` of an `ask`: the answer. */
  readonly answer: Path;
}

export type FlowBuilder<Id extends string, S, State> = AddNodes<Id> &
  Names<Id, S, State> & {
    /**
     * The flow as JSON (Flow v1). Throws an `Error` that names each id which no node has, each declared id without its
     * node, and a flow without nodes.
     */
    toJSON(): JsonObject;
  };

/** Begins a flow. Its nodes are added by the functions of the result, such as `http`. */
export function flow<
  const Id extends string = string,
  const S extends Schema | undefined = undefined,
  const O extends Schema | undefined = undefined,
  const State extends { readonly [name: string]: Value } | undefined = undefined,
>({ ids, ...head }: Head<Id, S, O, State>): FlowBuilder<Id, S, State> {
  const draft: Draft = newDraft();
  const names = ['input', 'state', 'env', 'run', 'nodes', 'answer'].map(
    (name) => [name, path(name)] as const,
  );
  const toJSON = () => printDraft(draft, head, ids ?? []);
  // The names and node types are those of the type.
  return { ...listFunctions(draft), ...Object.fromEntries(names), toJSON } as unknown as FlowBuilder<
    Id,
    S,
    State
  >;
}
