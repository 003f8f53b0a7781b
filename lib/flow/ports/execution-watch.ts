// Who watches the executions of nodes: what each was given, and how it ended. Executions in a scope that checks a text
// which nobody may see yet are not watched.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { NodeError } from '../format/node-error.ts';

export interface WatchedExecution {
  /** Identifies the execution in the run, as `NodeCall` does: `order.2`, inside a map `each.1.0.order.1`. */
  readonly key: string;
  readonly nodeId: string;
  readonly nodeType: string;
  /** The path of its scope, such as `each.1.0`; empty at the root. */
  readonly scope: string;
  readonly visit: number;
  /** Whether the answers of its models are checked before anybody may see them. */
  readonly holdsText: boolean;
  /**
   * Evaluates the fields of the node that hold templates, by their names. Rejects where the node would fail by them, and
   * where its time is over.
   */
  readonly evaluateFields: () => Promise<Json>;
}

export type ExecutionEnd = (
  | { readonly status: 'completed'; readonly output: Json }
  | { readonly status: 'failed' | 'caught'; readonly error: NodeError }
) & {
  /** The variables of the state that the execution has set, with their values. */
  readonly assigned?: JsonObject | undefined;
};

export interface ExecutionWatch {
  /** The execution begins, or resumes after a pause. The node waits for the promise, which must not reject. */
  readonly begins: (execution: WatchedExecution) => Promise<void>;
  readonly ends: (key: string, end: ExecutionEnd) => void;
}
