// What a node type is: its schema, the fields that hold templates, and how it is prepared. Adding one: a file here, a line in `index.ts`, a test.
import type * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { RunNode } from '../engine/node-context.ts';
import type { SchemaProblem } from '../schema/problems.ts';
import type { ModelSettings } from './model-settings.ts';
import type { SavedFilter } from './remote-agent.ts';

/** The parts of the flow around it that a node may read. */
export interface Surroundings {
  readonly models: Readonly<Record<string, DeclaredModel>>;
  readonly egress: readonly string[];
}

/** What the check of a flow has besides: patterns need a library that a run loads only when one is used. */
export interface CheckSurroundings extends Surroundings {
  /** Hosts of each connection that the flow declares. */
  readonly connections: Readonly<Record<string, readonly string[]>>;
  readonly schemaProblems: (schema: Json | undefined) => readonly SchemaProblem[];
}

export interface DeclaredModel extends ModelSettings {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly fallback?: string | undefined;
}

/** A mistake found by a type's own check: where in the node, and what was expected. */
export type Report = (path: readonly (string | number)[], detail: string) => void;

export interface NodeType<Schema extends z.ZodType<object>> {
  /** Only who checks a flow asks for it; a run does not. */
  readonly schema: () => Schema;
  /** Fields in which `{{ }}` is evaluated. */
  readonly templates: readonly (keyof z.infer<Schema> & string)[];
  /** Templates deeper inside the node, with names that only they see. Sees the node as it was written. */
  readonly templatesInside?: (raw: JsonObject) => readonly TemplatePlace[];
  /** Variables of the state that the node sets beside `assign`. Sees the node as it was written. */
  readonly sets?: (raw: JsonObject) => readonly string[];
  /** What the schema cannot say. */
  readonly check?: (node: z.infer<Schema>, around: CheckSurroundings, report: Report) => void;
  /** Where the node may go beside `next` and `catch`. */
  readonly targets?: (node: z.infer<Schema>) => readonly Target[];
  /** Nodes inside it. They are checked and compiled like any others. */
  readonly blocks?: (node: z.infer<Schema>) => readonly Block[];
  /** Whether a run may pause at the node, for an answer or until a time. */
  readonly pauses?: (node: z.infer<Schema>) => boolean;
  /** What the node may reach and use, as far as the flow says. */
  readonly uses?: (node: z.infer<Schema>) => Uses;
  /** Without `timeout_seconds` it may take all the time of the run. */
  readonly isLong?: boolean;
  /** Called once per flow: compile here, run later. */
  readonly prepare: (node: z.infer<Schema>, around: Surroundings) => RunNode;
}

export interface Uses {
  /** Of requests; up to the first expression they are literal. */
  readonly urls?: readonly string[];
  readonly servers?: readonly string[];
  readonly agents?: readonly string[];
  readonly discovers?: readonly SavedFilter[];
  readonly flows?: readonly string[];
  readonly connections?: readonly string[];
  readonly models?: readonly ModelUse[];
  /** How often each of its blocks may run. */
  readonly times?: number;
}

/** Without a name the flow's `default`, else the tenant's. */
export interface ModelUse {
  readonly name: string | undefined;
  /** In one attempt at most, without fallbacks. */
  readonly calls: number;
}

export interface TemplatePlace {
  readonly path: readonly (string | number)[];
  readonly value: Json;
  readonly names: readonly 'args'[];
  /** All that a name can have, by the name; of others nothing is said. */
  readonly members?: Members;
}

export type Members = Readonly<Record<string, readonly string[]>>;

export interface Target {
  readonly path: readonly (string | number)[];
  readonly id: string;
}

/** Nodes of a scope inside a node: where they stand in it, and where the scope begins. */
export interface Block {
  readonly path: readonly (string | number)[];
  readonly start: string;
  readonly nodes: JsonObject;
  /** Names that its expressions see beside those around it. */
  readonly names: readonly ('item' | 'index')[];
}

/** Makes its schema when it is first needed. */
export const defineNode = <Schema extends z.ZodType<object>>(type: NodeType<Schema>): NodeType<Schema> => ({
  ...type,
  schema: lazy(type.schema),
});

/** Applies `next` to a value that may still be on its way, without a promise where none is needed. */
export const after = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value);
