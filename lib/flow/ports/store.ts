// Values that outlive a run: those of `store` nodes, and the conversations of `llm` and `agent` nodes. Every
// value belongs to a flow in an environment, so builds under test never see values of the live build.
import type { Json } from '#lib/json/json.ts';
import type { NodeCall } from './node-call.ts';

export interface StoreKey {
  /**
   * `context` is the conversation of the caller with the agent, which the port knows; it has no `key`. The
   * key of a `conversation` or a `value` is named by the flow.
   */
  readonly space: 'value' | 'conversation' | 'context';
  readonly key: string;
}

export interface StoredValue {
  readonly value: Json;
  /** Changes with every write. Opaque. */
  readonly version: string;
}

export interface StoreWrite extends StoreKey {
  /** Undefined deletes. */
  readonly value: Json | undefined;
  /** The write happens only if this is the version now; `null` if there is no value. Absent: always. */
  readonly ifVersion?: string | null;
  /**
   * Identifies the write: one that is repeated by another attempt or process succeeds again, with the same
   * version.
   */
  readonly writer: string;
  /** Days after which the value expires unless it is written again. */
  readonly keepDays: number;
}

/** Throws a `NodeError` (`store.unavailable`, `timeout`). */
export interface StorePort {
  /** Whether the caller has a conversation, as those over A2A have. */
  readonly hasContext: boolean;
  readonly read: (key: StoreKey, call: NodeCall) => Promise<StoredValue | undefined>;
  /** The new version; undefined if `ifVersion` is not the version now. */
  readonly write: (write: StoreWrite, call: NodeCall) => Promise<string | undefined>;
}
