// Builds a flow in TypeScript: a function for each node type adds a node, and what the node gives is a typed path. The
// result is the JSON of the flow, which `checkFlow` checks like any other.
import type * as z from 'zod';
import type { flowSchema } from '#lib/flow/definition/flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { type Draft, listFunctions, newDraft, printDraft } from './draft.ts';
import { type Expression, type Path, path } from './expression.ts';
import type { Block, Field, Fields, Input, NodeRef, TypeName, Value } from './fields.ts';
import type {
  AskOutput,
  EventOutput,
  GivenFields,
  OrTimedOut,
  OutputOf,
  StateType,
  StoredOutput,
  ValueType,
} from './output.ts';
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
  const Join extends Input<'parallel'>['join'] = undefined,
  const Items extends Value = null,
  const Branch extends string = string,
>(
  id: Id,
  fields: Fields<
    Type,
    Id,
    Scope<ItemType<Items>>,
    GivenFields<S, Response, Select, Accept, Output, Join> & {
      readonly items: Items;
      readonly branches: Readonly<Record<Branch, Block<Scope>>>;
    }
  >,
) => NodeRef<Path<OutputOf<Type, GivenFields<S, Response, Select, Accept, Output, Join>, Branch>>>;

type ItemType<Items> = ValueType<Items> extends readonly (infer Item)[] ? Item : unknown;

/** Adds a node whose output comes from outside the flow: `Output` is what the author knows of it. */
type AddForeign<Type extends TypeName, Id extends string> = <Output = unknown>(
  id: Id,
  fields: Fields<Type, Id, Scope, unknown>,
) => NodeRef<Path<Output>>;

/** Adds a pause. The output is the time at which it ends, or the event that it waits for. */
type AddWait<Id extends string> = <
  const S extends Schema | undefined = undefined,
  const Event extends string | undefined = undefined,
  const OnTimeout extends Id | NodeRef | undefined = undefined,
>(
  id: Id,
  fields: Fields<
    'wait',
    Id,
    Scope,
    { readonly schema: S; readonly event: Event; readonly on_timeout: OnTimeout }
  >,
) => NodeRef<
  Path<Event extends string ? OrTimedOut<EventOutput<Event, S>, OnTimeout> : { readonly until: string }>
>;

/** Adds a question. The output is the answer. */
type AddAsk<Id extends string> = <
  const S extends Schema | undefined = undefined,
  const Choices extends string | Expression | readonly (string | Expression)[] | undefined = undefined,
  const OnTimeout extends Id | NodeRef | undefined = undefined,
>(
  id: Id,
  fields: Fields<
    'ask',
    Id,
    Scope,
    { readonly schema: S; readonly choices: Choices; readonly on_timeout: OnTimeout }
  >,
) => NodeRef<Path<OrTimedOut<AskOutput<S, Choices>, OnTimeout>>>;

/** Adds an access to a stored value, whose type `Stored` the author knows. */
interface AddStore<Id extends string> {
  <Stored = unknown>(id: Id, fields: StoreFields<Id, 'get'>): NodeRef<Path<StoredOutput<Stored>['get']>>;
  (id: Id, fields: StoreFields<Id, 'put'>): NodeRef<Path<StoredOutput<unknown>['put']>>;
  (id: Id, fields: StoreFields<Id, 'delete'>): NodeRef<Path<StoredOutput<unknown>['delete']>>;
}

type StoreFields<Id extends string, Action extends keyof StoredOutput<unknown>> = Omit<
  Fields<'store', Id, Scope, unknown>,
  keyof StoredOutput<unknown>
> & { readonly [Name in Action]: string | Expression };

/** The types whose functions have type parameters of their own. */
interface AddTyped<Id extends string> {
  readonly code: AddForeign<'code', Id>;
  readonly mcp: AddForeign<'mcp', Id>;
  readonly flow: AddForeign<'flow', Id>;
  readonly ask: AddAsk<Id>;
  readonly wait: AddWait<Id>;
  readonly store: AddStore<Id>;
}

/** One function for each node type. */
export type AddNodes<Id extends string> = AddTyped<Id> & {
  readonly [Type in Exclude<TypeName, keyof AddTyped<string>>]: AddNode<Type, Id>;
};

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

export type FlowBuilder<Id extends string, S, State, O = undefined> = AddNodes<Id> &
  Names<Id, S, State> & {
    /** Only for the compiler: what `ResponseOf` reads. */
    readonly [responseType]?: O extends Schema ? TypeFrom<O> : unknown;
    /**
     * The flow as JSON (Flow v1). Throws an `Error` that names each id which no node has, each declared id without its
     * node, and a flow without nodes.
     */
    toJSON(): JsonObject;
  };

declare const responseType: unique symbol;

/** The response of a flow: the type of its schema `output`, such as `f.flow<ResponseOf<typeof other>>(…)`. */
export type ResponseOf<F> = F extends { readonly [responseType]?: infer Response } ? Response : unknown;

/** Begins a flow. Its nodes are added by the functions of the result, such as `http`. */
export function flow<
  const Id extends string = string,
  const S extends Schema | undefined = undefined,
  const O extends Schema | undefined = undefined,
  const State extends { readonly [name: string]: Value } | undefined = undefined,
>({ ids, ...head }: Head<Id, S, O, State>): FlowBuilder<Id, S, State, O> {
  const draft: Draft = newDraft();
  const names = ['input', 'state', 'env', 'run', 'nodes', 'answer'].map(
    (name) => [name, path(name)] as const,
  );
  const toJSON = () => printDraft(draft, head, ids ?? []);
  // The names and node types are those of the type.
  return { ...listFunctions(draft), ...Object.fromEntries(names), toJSON } as unknown as FlowBuilder<
    Id,
    S,
    State,
    O
  >;
}
