// What a node type is beside its schema: the fields that hold templates, its own checks, and how it is prepared.
// To add one, see CONTRIBUTING.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { RunNode } from '../engine/node-context.ts';
import type { AwsScopes } from '../format/aws-scope.ts';
import type { SchemaProblem } from '../schema/problems.ts';
import type { ModelSettings } from './model-settings.ts';
import type { SavedFilter } from './remote-agent.ts';

/** Declarations of the flow that a node may read. */
export interface Surroundings {
  readonly models: Readonly<Record<string, DeclaredModel>>;
  readonly egress: readonly string[];
}

/**
 * What the check of a flow needs in addition. Patterns need a library that a run loads only if the flow uses
 * one.
 */
export interface CheckSurroundings extends Surroundings {
  /** What each connection that the flow declares is for. */
  readonly connections: Readonly<Record<string, DeclaredUse>>;
  /** The mistake in the syntax of JavaScript, with its line. */
  readonly findSyntaxMistake: (code: string) => string | undefined;
  readonly schemaProblems: (schema: Json | undefined) => readonly SchemaProblem[];
  /** The known name that a misspelled one probably means; undefined also where it would not be shown. */
  readonly findNearName: FindNearName;
}

export interface DeclaredUse {
  readonly hosts: readonly string[];
  readonly aws?: AwsScopes;
}

export type FindNearName = (name: string, known: readonly string[]) => string | undefined;

export interface DeclaredModel extends ModelSettings {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly fallback?: string | undefined;
}

/** Reports a mistake that a type's own check finds: its path in the node, and what was expected. */
export type Report = (path: readonly (string | number)[], detail: string) => void;

export interface NodeType<Node extends object> {
  /** Fields in which `{{ }}` is evaluated. */
  readonly templates: readonly (keyof Node & string)[];
  /** Next nodes in addition to `next` and `catch`. */
  readonly targets?: (node: Node) => readonly Target[];
  /** Nodes inside the node. They are checked and compiled like any others. */
  readonly blocks?: (node: Node) => readonly Block[];
  /** Whether a run may pause at the node, for an answer or until a time. */
  readonly pauses?: (node: Node) => boolean;
  /** What the node may use, as far as the flow declares it. */
  readonly uses?: (node: Node) => Uses;
  /** Without `timeout_seconds`, its time limit is that of the run. */
  readonly isLong?: boolean;
  /**
   * Whether it does nothing but compute: executing it again changes nothing outside of the run, and takes no model, no
   * network and no pause. Of a type with blocks, this is asked of their nodes in addition.
   */
  readonly onlyComputes?: boolean;
  /** Called once per compiled flow; the returned function runs once per execution. */
  readonly prepare: (node: Node, around: Surroundings) => RunNode;
}

/** What only the check of flows uses: functions that run flows leave it out. */
export interface NodeChecks<Node extends object> {
  /**
   * Templates deeper inside the node, with additional names in their scope. Takes the node as it was written.
   */
  readonly templatesInside?: (raw: JsonObject) => readonly TemplateField[];
  /** Variables of the state that the node sets in addition to `assign`. Takes the node as it was written. */
  readonly sets?: (raw: JsonObject) => readonly string[];
  /** Checks that the schema cannot express. */
  readonly check?: (node: Node, around: CheckSurroundings, report: Report) => void;
}

export interface Uses {
  /** URLs of requests. They are literal up to the first expression, or one expression as a whole. */
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

/** Without a name, the flow's `default` or else the tenant's default model. */
export interface ModelUse {
  readonly name: string | undefined;
  /** The maximum in one attempt, without fallbacks. */
  readonly calls: number;
}

export interface TemplateField {
  readonly path: readonly (string | number)[];
  readonly value: Json;
  readonly names: readonly ('args' | 'body' | 'result')[];
  /** All members of a name, for names whose members are known. */
  readonly members?: Members;
}

export type Members = Readonly<Record<string, readonly string[]>>;

export interface Target {
  readonly path: readonly (string | number)[];
  readonly id: string;
}

/** A block: nodes that run in a child scope, their path in the node, and the first of them. */
export interface Block {
  readonly path: readonly (string | number)[];
  readonly start: string;
  readonly nodes: JsonObject;
  /** Names that its expressions see in addition to those of the parent scope. */
  readonly names: readonly ('item' | 'index')[];
}

/** Applies `next` to a value that may be a promise; returns no promise unless one is needed. */
export const after = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value);
