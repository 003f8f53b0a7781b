// The ports, through which the engine reaches everything outside. Types only: the engine itself is pure.
import type { ComputePort } from '../expression/compute.ts';
import type { AgentPort, CancelTaskPort, DiscoverPort } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodePort } from '../ports/code.ts';
import type { ExecutionWatch } from '../ports/execution-watch.ts';
import type { RunFiles } from '../ports/file.ts';
import type { HttpPort } from '../ports/http.ts';
import type { LogEntry } from '../ports/log-entry.ts';
import type { McpPort } from '../ports/mcp.ts';
import type { ModelPort } from '../ports/model.ts';
import type { NodeCall } from '../ports/node-call.ts';
import type { StorePort } from '../ports/store.ts';
import type { FlowRequest, FoundFlow } from './node-context.ts';
import type { Reply, TextPiece } from './output.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Throws a `NodeError` (`flow.*`, `timeout`) if there is no such flow that the run's organisation may call.
 */
export type FlowPort = (request: FlowRequest, call: NodeCall) => Promise<FoundFlow>;

export interface Ports {
  readonly model: ModelPort;
  readonly http: HttpPort;
  /** Calls of an absent port fail. */
  readonly mcp?: McpPort;
  readonly agent?: AgentPort;
  /** For tasks that nobody waits for any more. The run does not wait for the promise. */
  readonly cancelTask?: CancelTaskPort;
  readonly discover?: DiscoverPort;
  readonly store?: StorePort;
  readonly files?: Pick<RunFiles, 'find'>;
  readonly code?: CodePort;
  readonly flows?: FlowPort;
  /**
   * Without it, all evaluations run on this thread with their full budget, as for the single run of the
   * terminal.
   */
  readonly compute?: ComputePort;
  readonly clock: Clock;
  /**
   * Called after each node with everything that is needed to resume from there. Serialise the snapshot before
   * the call returns: it shares objects with the run, which changes them. The run waits for the promise
   * before it continues. A rejection rejects the run.
   */
  readonly checkpoint: (snapshot: Snapshot) => Promise<void>;
  readonly log: (entry: LogEntry) => void;
  /**
   * The key identifies the execution that replies. A run that is resumed after a crash may send the same
   * again, with the same key.
   */
  readonly reply: (reply: Reply, key: string) => void;
  /**
   * Receives the text of models while they write; the complete text follows as the node's output. Without it,
   * nothing is streamed.
   */
  readonly text?: (piece: TextPiece) => void;
  readonly watch?: ExecutionWatch;
}
