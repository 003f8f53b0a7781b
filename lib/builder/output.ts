// The type of what a node gives, by its type and its fields. It is `unknown` for a node type that is not listed, and
// where the value comes from outside: a type parameter of the node's function, or `typed`, then gives it a type.
import type { StoredFileReference } from '#lib/flow/ports/file.ts';
import type { Expression } from './expression.ts';
import type { TypeName } from './fields.ts';
import type { Schema, TypeFrom } from './schema-type.ts';

/** What the fields of a node were given, where outputs depend on it; `undefined` for a field that is absent. */
export interface GivenFields<S, Response, Select, Accept, Output, Join> {
  readonly output_schema: S;
  readonly response: Response;
  readonly select: Select;
  readonly accept: Accept;
  readonly output: Output;
  readonly join: Join;
}

type AnyGiven = GivenFields<unknown, unknown, unknown, unknown, unknown, unknown>;

/** `Branch` are the names of the branches of a `parallel`. */
export type OutputOf<
  Type extends TypeName,
  Given extends AnyGiven,
  Branch extends string,
> = Type extends keyof Outputs<Given, Branch> ? Outputs<Given, Branch>[Type] : unknown;

interface Outputs<Given extends AnyGiven, Branch extends string> {
  readonly llm: SchemaType<Given['output_schema'], string>;
  readonly agent: {
    readonly text: string;
    readonly data: SchemaType<Given['output_schema'], unknown>;
    readonly captured: unknown;
    readonly turns: number;
    readonly finish_reason: string;
    /** Only of an agent with a tool of kind `knowledge`. */
    readonly citations: unknown;
  };
  readonly http: {
    readonly status: number;
    readonly headers: unknown;
    readonly body: BodyType<Given>;
    /** Only with `save`. */
    readonly file: StoredFileReference;
  };
  readonly a2a: {
    readonly text: string;
    readonly data: unknown;
    readonly task_id: string;
    readonly context_id: string;
    readonly state: string;
  };
  readonly transform: ValueType<Given['output']>;
  readonly switch: string;
  readonly parallel: BranchOutputs<Given['join'], Branch>;
  readonly map: readonly unknown[];
}

export type AskOutput<S, Choices> = SchemaType<S, ChoiceType<Choices>>;

/** What a wait for an event gives. */
export interface EventOutput<Event, S> {
  readonly event: PlainText<Event>;
  readonly key: string;
  readonly id: string;
  readonly data: SchemaType<S, unknown>;
  readonly received_at: string;
}

/** A node that leads on when its time is over gives null then. */
export type OrTimedOut<Output, OnTimeout> = undefined extends OnTimeout ? Output : Output | null;

/** What a `store` gives, by what it does. */
export interface StoredOutput<Stored> {
  readonly get: {
    readonly found: boolean;
    readonly value: Stored | null;
    readonly version: string | null;
  };
  readonly put: { readonly version: string };
  readonly delete: { readonly version: null };
}

type SchemaType<S, Otherwise> = S extends Schema ? TypeFrom<S> : Otherwise;

/** An accepted response other than 2xx is JSON or text, whatever is asked for. */
type BodyType<Given extends AnyGiven> = Given['accept'] extends readonly unknown[]
  ? unknown
  : Given['select'] extends Expression<infer T>
    ? T
    : Given['select'] extends string
      ? unknown
      : Given['response'] extends 'text'
        ? string
        : Given['response'] extends 'base64'
          ? { readonly base64: string; readonly media_type: string; readonly size: number }
          : unknown;

type BranchOutputs<Join, Branch extends string> = Join extends 'first'
  ? { readonly branch: Branch; readonly output: unknown }
  : {
      readonly [Name in Branch]: Join extends 'settled'
        ? { readonly status: 'completed' | 'failed'; readonly output: unknown; readonly error: unknown }
        : unknown;
    };

type ChoiceType<Choices> = Choices extends readonly (infer Choice)[]
  ? PlainText<Choice>
  : Choices extends undefined
    ? unknown
    : string;

type PlainText<T> = T extends Expression | `${string}{{${string}` ? string : T;

/** The value of JSON with expressions in it. A text with an expression written out has a value of any type. */
export type ValueType<V> =
  V extends Expression<infer T>
    ? T
    : V extends string
      ? V extends `${string}{{${string}`
        ? unknown
        : string
      : V extends number
        ? number
        : V extends boolean
          ? boolean
          : V extends readonly (infer Item)[]
            ? readonly ([Item] extends [never] ? unknown : ValueType<Item>)[]
            : V extends object
              ? { readonly [Name in keyof V]: ValueType<V[Name]> }
              : unknown;

/** Of variables: one that is null at first has a value of any type later. */
export type StateType<State> = {
  readonly [Name in keyof State]: State[Name] extends null ? unknown : ValueType<State[Name]>;
};
