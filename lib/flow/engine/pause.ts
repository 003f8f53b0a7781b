// Why a node is paused: it waits for an answer, for a time, or for the nodes inside it. Plain JSON, kept in snapshots.
import type { Json, JsonObject } from '#lib/json/json.ts';

/** What a node asks of a person. */
export type Question = {
  readonly purpose: 'ask' | 'approval';
  readonly prompt: string;
  /** JSON Schema of the answer. */
  readonly schema?: JsonObject;
  /** The answer is one of these. */
  readonly choices?: readonly string[];
  /** What the answer is about, such as the call of a tool that needs approval. */
  readonly detail?: Json;
  /** RFC 3339. The node resumes without an answer then. */
  readonly expires_at?: string;
};

export type Pause =
  | ({
      readonly kind: 'input';
      /** The id of the question where it is not the key of the execution: from the second question of an execution on. */
      readonly id?: string;
    } & Question)
  /** RFC 3339. */
  | { readonly kind: 'until'; readonly at: string }
  /** Scopes that the node has entered are paused. */
  | { readonly kind: 'inside' };

/** Why a node runs again that had paused: its question has an answer, or the time has come for which it waited or its question stood. */
export interface ResumeReason {
  readonly answer?: { readonly value: Json };
  readonly isDue?: boolean;
}

/** A question as the caller of a run sees it. */
export type InputRequest = Question & {
  /**
   * The key of the node's execution, so it is the same in every process: `approve.1`, inside a map `each.1.0.approve.1`. Further
   * questions of an execution have a number of their own, `approve.1-2`: no two questions of a run have one id.
   */
  readonly id: string;
  readonly node_id: string;
};
