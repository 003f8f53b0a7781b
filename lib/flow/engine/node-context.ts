// What a node may use while it runs, what its run leads to, and the compiled flow that holds it. Types only, in one file because they refer to
// one another: a node may call another compiled flow.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { LazyModule } from '#lib/lazy.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import type { Render } from '../expression/template.ts';
import type { DeclaredConnections } from '../format/connection.ts';
import type { FlowLimits } from '../format/flow-limits.ts';
import type { NodeError } from '../format/node-error.ts';
import type { Catcher, Retry } from '../format/node-fields.ts';
import type { AgentAnswer, AgentFilter, AgentPort, AgentRequest, FoundAgent } from '../ports/agent.ts';
import type { HttpAnswer, HttpPort, HttpRequest } from '../ports/http.ts';
import type { LogEntry } from '../ports/log-entry.ts';
import type { McpAnswer, McpPort, McpServer, McpTool } from '../ports/mcp.ts';
import type { ModelAnswer, ModelRequest } from '../ports/model.ts';
import type { CallerText } from './caller-text.ts';
import type { Ending, Reply } from './output.ts';
import type { Pause } from './pause.ts';

/** What a run of a node leads to: an output under `nodes.<id>`, perhaps a way to go other than `next`, or the end of the run. */
export interface Step {
  readonly output: Json;
  readonly next?: string;
  /** Variables of the state that change, before `assign`. */
  readonly state?: JsonObject;
  /** Ends the run, with its response. */
  readonly ending?: Ending;
  /** Short text for the log: what happened, never a secret. */
  readonly note?: string;
}

/**
 * The node cannot continue now. It runs again when its question is answered or its time has come (for `inside`, whenever the run is resumed), with
 * what it kept as `memory`.
 */
export interface Paused {
  readonly pause: Pause;
  /** Replaces what the node kept before. */
  readonly memory?: Json;
}

/** What a node may use. Every call ends when the node's time is over or the run stops. */
export interface NodeContext extends AttemptContext, ChildScopes {
  /** Runs a part of the attempt with less time: when that is over, its calls fail with `timeout`, and the node may continue. */
  readonly within: <T>(limit: TimeLimit, run: (context: NodeContext) => Promise<T>) => Promise<T>;
}

/** What a node may use except child scopes. */
export interface AttemptContext extends ExecutionFacts, Calls, Replies, Notes {
  /** Keeps plain JSON in a snapshot, in the middle of the execution: what has run before it does not run again. */
  readonly remember: (memory: Json) => Promise<void>;
}

export interface TimeLimit {
  /** What the error says has passed its time limit. */
  readonly what: string;
  readonly seconds: number;
}

/** What a node may read about its execution and its run. */
export interface ExecutionFacts {
  readonly nodeId: string;
  /** Names this execution, the same in every process: `order.2`, inside a map `each.1.0.order.1`. */
  readonly key: string;
  readonly idempotencyKey: string;
  readonly at: RenderAt;
  /** What this execution has kept, in this process or in one before; absent in an execution that has just begun. */
  readonly memory: Json | undefined;
  /**
   * The answer to the question of this execution, when that is why the node runs again. It fits the question's schema and choices. It is there
   * until the node remembers something, because that says what came of it.
   */
  readonly answer: { readonly value: Json } | undefined;
  /** The time for which this execution waited, or at which its question expired, has come. */
  readonly isDue: boolean;
  /** Flows and agents that led here, this flow last. */
  readonly chain: readonly string[];
  /** The invocation is over: a node between two steps of its own keeps its memory and answers `{ pause: { kind: 'inside' } }`. */
  readonly isOver: () => boolean;
  /** Wall clock, ms since 1970: for times that are kept as `memory` or in a pause. */
  readonly now: () => number;
  /** What the run may still use, for calls that take a budget along. */
  readonly left: () => Left;
}

/** What a node sends to the caller of the run. */
export interface Replies {
  readonly reply: (content: Omit<Reply, 'node_id'>) => void;
  /** Streams the text of this attempt to the caller while it is written. Undefined where no caller reads it. */
  readonly callerText: () => CallerText | undefined;
}

/** Lines of the log about steps inside an attempt. */
export interface Notes {
  /** The attempt continues in another way, such as with a fallback model. */
  readonly noteFallback: (message: string) => void;
  readonly note: (entry: Note) => void;
}

/** Scopes inside the node. A name identifies a scope within the execution. */
export interface ChildScopes {
  /**
   * Runs nodes of the same flow in a scope of their own, from the given start. A scope that has ended answers the same again, also after a pause.
   * Rejects with what ends the whole run.
   */
  readonly enter: (name: string, entrance: Entrance) => RunningScope;
  /** Calls another flow, in a scope that sees nothing of this one; its output is the flow's response. */
  readonly callFlow: (name: string, called: CalledFlow) => RunningScope;
  /** How the scope of that name ended, when it did so before now. */
  readonly ended: (name: string) => ScopeEnd | undefined;
  /** Forgets a scope that is paused. */
  readonly drop: (name: string) => void;
}

export type Note = Pick<LogEntry, 'event' | 'message' | 'tokens' | 'duration_ms'> & {
  readonly level?: LogEntry['level'];
};

/** The ports, as a node calls them: within its time, and counted. */
export interface Calls {
  /** With `onText`, the pieces of the answer go there, and not to those who watch the run. */
  readonly model: (request: ModelRequest, onText?: (piece: string) => void) => Promise<ModelAnswer>;
  readonly http: (request: HttpRequest) => Promise<HttpAnswer>;
  readonly mcpTools: (server: McpServer) => Promise<readonly McpTool[]>;
  readonly mcpCall: (server: McpServer, tool: string, args: JsonObject) => Promise<McpAnswer>;
  readonly agent: (request: AgentRequest) => Promise<AgentAnswer>;
  readonly discover: (filter: AgentFilter) => Promise<readonly FoundAgent[]>;
  /** Throws `flow.cycle` for a flow that stands in the chain, `limit.depth` when the chain is too long. */
  readonly findFlow: (request: FlowRequest) => Promise<FoundFlow>;
}

export interface Left {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** Until the run has to end. */
  readonly ms: number;
  /** Flows and agents that may still be added to the chain. */
  readonly depth: number;
  readonly toolOutputBytes: number;
}

export interface Entrance {
  readonly start: string;
  /** Seen by expressions in the scope. */
  readonly item?: Json;
  readonly index?: number;
}

export interface CalledFlow {
  readonly found: FoundFlow;
  readonly message: string;
  readonly user_variables: JsonObject;
  /** Whether what its nodes stream is for the caller of the run. */
  readonly isStreamed?: boolean;
}

export interface RunningScope {
  /** Settles when the scope has ended or is paused. */
  readonly end: Promise<ScopeEnd>;
  /** Nobody needs it any more: it ends as `canceled`. */
  readonly cancel: () => void;
}

export type ScopeEnd =
  /** The output of its last node, or the response of a called flow. */
  | { readonly status: 'completed'; readonly output: Json }
  | { readonly status: 'failed'; readonly error: NodeError }
  | { readonly status: 'canceled' }
  /** The node answers `{ pause: { kind: 'inside' } }`, once the others it has entered are paused too. */
  | { readonly status: 'paused' }
  /** As paused, but only because this invocation is over: it is not known yet how the scope will end. */
  | { readonly status: 'yielded' };

export type RunNode = (context: NodeContext) => Step | Paused | Promise<Step | Paused>;

export interface CompiledFlow {
  readonly name: string;
  readonly start: string;
  readonly state: JsonObject;
  readonly input: JsonObject | undefined;
  readonly output: JsonObject | undefined;
  readonly limits: FlowLimits;
  readonly connections: DeclaredConnections;
  /** All of them, also those inside others: ids are unique in the whole flow. */
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  /** What has to be loaded before the first of them runs. */
  readonly modules: readonly LazyModule<unknown>[];
}

export interface CompiledNode {
  readonly id: string;
  readonly type: string;
  readonly run: RunNode;
  /** Its time is that of the run, unless the flow says otherwise. */
  readonly isLong: boolean;
  /** Whether the text of its models is for the caller of the run. */
  readonly isStreamed: boolean;
  readonly next: string | undefined;
  readonly assign: Assign | undefined;
  readonly retry: Retry | undefined;
  readonly catch: readonly CompiledCatcher[];
  readonly timeoutSeconds: number | undefined;
  readonly maxVisits: number | undefined;
}

/** Name and value of each variable of the state that changes. */
export type Assign = readonly (readonly [string, Render])[];

type CompiledCatcher = Pick<Catcher, 'on' | 'next'> & { readonly assign: Assign | undefined };

/** A flow of the registry, ready to be called. */
export interface FoundFlow {
  readonly flow: CompiledFlow;
  readonly flowid: string;
  /** Names this build of it for good: a run that resumes after a pause asks for the same build. */
  readonly build: string;
  readonly env: JsonObject;
  /** Ports with the connections that it declares; it uses those of its caller for the others. */
  readonly ports?: EgressPorts;
}

/** The ports that use the connections of the flow. */
export interface EgressPorts {
  readonly http?: HttpPort;
  readonly mcp?: McpPort;
  readonly agent?: AgentPort;
}

export interface FlowRequest {
  readonly flowid: string;
  /** Without it, the live build. */
  readonly build?: string;
}
