// Why a node is paused: it waits for an answer, an event or a time, or for child scopes. Plain JSON, which snapshots
// contain.
import type { Json, JsonObject } from '#lib/json/json.ts';

/** A question to the caller of the run. */
export type Question = {
  readonly purpose: 'ask' | 'approval';
  readonly prompt: string;
  /** JSON Schema of the answer; of an approval, whose answer may also be one of its choices. */
  readonly schema?: JsonObject;
  /** The answer must be one of these; that to an approval may also be an object, as its schema says. */
  readonly choices?: readonly string[];
  /** The subject of the question, such as the tool call that needs approval. */
  readonly detail?: Json;
  /** RFC 3339. At this time the node resumes without an answer. */
  readonly expires_at?: string;
};

export type Pause =
  | ({
      readonly kind: 'input';
      /**
       * The id of the question if it is not the key of the execution: from the second question of an
       * execution on.
       */
      readonly id?: string;
    } & Question)
  /** `at` is RFC 3339. With `is_retry`, the next attempt of a node that failed begins then. */
  | { readonly kind: 'until'; readonly at: string; readonly is_retry?: boolean }
  | EventPause
  /** Child scopes of the node are paused. */
  | { readonly kind: 'inside' };

export type EventPause = {
  readonly kind: 'event';
  /** The event that is awaited: its name and its correlation key. */
  readonly event: string;
  readonly key: string;
  /** RFC 3339: when the wait began. */
  readonly since: string;
  /** RFC 3339. At this time the node resumes without an event. */
  readonly expires_at: string;
  /** How many events the run had received by then. None of them is received again. */
  readonly received?: number;
};

/** An event for which an execution waits. */
export type AwaitedEvent = Omit<EventPause, 'kind'> & {
  /** The key of the execution. */
  readonly id: string;
};

/** An event that was sent, for an execution that awaits it. */
export interface ReceivedEvent {
  /** The key of the execution. */
  readonly id: string;
  /** Identifies the event among those of its name and key; begins with the time (RFC 3339) at which it was sent. */
  readonly ref: string;
  readonly value: Json;
}

/**
 * Why a paused node runs again: its question has an answer, its event was sent, or the time has come at which its
 * wait ends or its question expires. `answer` is the event, too.
 */
export interface ResumeReason {
  readonly answer?: GivenAnswer;
  readonly isDue?: boolean;
}

export interface GivenAnswer {
  readonly value: Json;
  /** The A2A message that has the answer, as its client sent it. */
  readonly message?: JsonObject | undefined;
}

/** A question as the caller of a run sees it. */
export type InputRequest = Question & {
  /**
   * The key of the node's execution, and so the same in every process: `approve.1`, inside a map
   * `each.1.0.approve.1`. Further questions of an execution have a number, `approve.1-2`, so that ids are
   * unique in the run.
   */
  readonly id: string;
  readonly node_id: string;
};
