// Everything outside that the engine may use. Types only: the engine itself is pure.
import type { ComputePort } from '../expression/compute.ts';
import type { AgentPort, DiscoverPort } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { HttpPort } from '../ports/http.ts';
import type { LogEntry } from '../ports/log-entry.ts';
import type { McpPort } from '../ports/mcp.ts';
import type { ModelPort } from '../ports/model.ts';
import type { NodeCall } from '../ports/node-call.ts';
import type { FlowRequest, FoundFlow } from './node-context.ts';
import type { Reply, TextPiece } from './output.ts';
import type { Snapshot } from './snapshot.ts';

/** Throws `NodeError` (codes `flow.*`, `timeout`) when there is no such flow that the run's organisation may call. */
export type FlowPort = (request: FlowRequest, call: NodeCall) => Promise<FoundFlow>;

export interface Ports {
  readonly model: ModelPort;
  readonly http: HttpPort;
  /** A port that is absent refuses every call. */
  readonly mcp?: McpPort;
  readonly agent?: AgentPort;
  readonly discover?: DiscoverPort;
  readonly flows?: FlowPort;
  /** Without it, every evaluation has its whole budget on this thread: for one run at a time, as in the terminal. */
  readonly compute?: ComputePort;
  readonly clock: Clock;
  /**
   * Called after each node with all that is needed to resume from there. Serialise the snapshot before the call returns its promise: it shares
   * its parts with the run, which may change them. What has run waits for the promise before it continues. A rejection rejects the run.
   */
  readonly checkpoint: (snapshot: Snapshot) => Promise<void>;
  readonly log: (entry: LogEntry) => void;
  /** The key names the execution that replies: a run that is resumed after a crash may send the same again, under the same key. */
  readonly reply: (reply: Reply, key: string) => void;
  /** Receives the text of models while they write; the whole answer follows as the node's output. Without it nothing is streamed to the caller. */
  readonly text?: (piece: TextPiece) => void;
}
