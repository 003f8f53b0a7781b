// An entry of the log of a run.
import type { Tokens } from '../format/tokens.ts';
import type { FinishReason } from './model.ts';

export interface LogEntry {
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly node_id?: string;
  readonly node_type?: string;
  /** The path of the scope of a node in a child scope, such as `each.1.0`. */
  readonly scope?: string;
  readonly event:
    | 'run_started'
    /** Not executed: a fork has its output of the run that it forks. */
    | 'reused'
    | 'started'
    | 'completed'
    | 'retry'
    | 'caught'
    | 'failed'
    | 'canceled'
    /** The node has no visit left, and `on_max_visits` leads on. */
    | 'redirected'
    | 'paused'
    | 'resumed'
    /** Entries of an `agent`: a turn of its model, and a tool that was used. */
    | 'turn'
    | 'tool'
    /** An `agent` has dropped parts of its conversation to make room. */
    | 'compacted'
    /** A check of `guardrails` has replaced parts of a text. */
    | 'guardrail'
    /** Something of the node is probably not meant, such as a number that was kept as text. */
    | 'warning'
    | 'run_completed'
    | 'run_failed'
    /** Written by whatever ended the run from outside, not by the engine. */
    | 'run_canceled'
    | 'truncated';
  readonly message: string;
  /** State of the node (or, in `run_…` entries, of the run) after this entry. */
  readonly status: 'running' | 'completed' | 'failed';
  readonly duration_ms?: number;
  readonly attempt?: number;
  /** Of the entry of an attempt that failed: ms until the next one. */
  readonly delay_ms?: number;
  /** Of the entry of a tool that an agent has used: its name. */
  readonly tool?: string;
  readonly tokens?: Tokens;
  /** Why the model stopped, in the entry that has its tokens. */
  readonly finish_reason?: FinishReason;
  readonly http?: { readonly host: string; readonly status: number };
}
