// What a node may use while it runs, what its execution results in, and the compiled flow that contains it.
// Types only, in one file because they refer to one another: a node may call another compiled flow.
import type { CodeCall, CodeOutcome } from '#lib/code/code-call.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { LazyModule } from '#lib/lazy.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import type { Render } from '../expression/template.ts';
import type { DeclaredConnections } from '../format/connection.ts';
import type { FlowLimits } from '../format/flow-limits.ts';
import type { NodeError } from '../format/node-error.ts';
import type { Catcher, Retry } from '../format/node-fields.ts';
import type { RemoteContexts } from '../format/remote-contexts.ts';
import type { AgentAnswer, AgentFilter, AgentPort, AgentRequest, FoundAgent } from '../ports/agent.ts';
import type { StoredFileReference } from '../ports/file.ts';
import type { HttpAnswer, HttpPort, HttpRequest } from '../ports/http.ts';
import type { LogEntry } from '../ports/log-entry.ts';
import type { McpAnswer, McpPort, McpServer, McpTool } from '../ports/mcp.ts';
import type { ModelAnswer, ModelRequest } from '../ports/model.ts';
import type { StoredValue, StoreKey, StorePort, StoreWrite } from '../ports/store.ts';
import type { CallerText } from './caller-text.ts';
import type { Ending, Reply } from './output.ts';
import type { Pause } from './pause.ts';

/**
 * The result of an execution: an output under `nodes.<id>`, and possibly another next node than `next`, or
 * the end of the run.
 */
export interface Step {
  readonly output: Json;
  readonly next?: string;
  /** Variables of the state that the node sets, before `assign`. */
  readonly state?: JsonObject;
  /** Ends the run, with its response. */
  readonly ending?: Ending;
  /** Replaces those of the scope. */
  readonly contexts?: RemoteContexts;
  /** A short text for the log, without secrets. */
  readonly note?: string;
}

/**
 * The node cannot continue now. It runs again, with the `memory` it kept, when its question is answered or
 * its time has come; for `inside`, whenever the run is resumed.
 */
export interface Paused {
  readonly pause: Pause;
  /** Replaces the earlier memory of the node. */
  readonly memory?: Json;
}

/** What a node may use. Every call ends when the node's time is over or the run stops. */
export interface NodeContext extends AttemptContext, ChildScopes {
  /**
   * Runs a part of the attempt with less time. When that is over, its calls fail with `timeout`, and the node
   * may continue.
   */
  readonly within: <T>(limit: TimeLimit, run: (context: NodeContext) => Promise<T>) => Promise<T>;
}

/** What a node may use except child scopes. */
export interface AttemptContext extends ExecutionFacts, Calls, Replies, Notes {
  /**
   * Stores plain JSON in a snapshot in the middle of the execution, so that the work before it is not
   * repeated.
   */
  readonly remember: (memory: Json) => Promise<void>;
}

export interface TimeLimit {
  /** The subject of the error message. */
  readonly what: string;
  readonly seconds: number;
}

/** What a node may read of its execution and its run. */
export interface ExecutionFacts {
  readonly nodeId: string;
  /** Identifies this execution, the same in every process: `order.2`, inside a map `each.1.0.order.1`. */
  readonly key: string;
  readonly idempotencyKey: string;
  readonly at: RenderAt;
  /** What this execution has remembered, in this process or an earlier one; undefined in a new execution. */
  readonly memory: Json | undefined;
  /**
   * The answer to the question of this execution, if that is why it runs again. It fits the question's schema
   * and choices. It is present until the node calls `remember`, which records what followed from it.
   */
  readonly answer: { readonly value: Json } | undefined;
  /** The time for which this execution waited has come, or its question has expired. */
  readonly isDue: boolean;
  /** From 1; +1 with each `retry`. */
  readonly attempt: number;
  /** How long this invocation waits for a task of another agent, in ms; after that the node pauses. */
  readonly taskPatienceMs: number;
  /** The conversations with other agents that the nodes before this one have had. */
  readonly contexts: RemoteContexts;
  /** The flows and agents that called one another up to here, this flow last. */
  readonly chain: readonly string[];
  /**
   * Whether the invocation is over: a node between two steps of its own then returns `{ pause: { kind:
   * 'inside' } }` with its memory.
   */
  readonly isOver: () => boolean;
  /** Wall clock in ms since 1970, for times in memory or in a pause. */
  readonly now: () => number;
  /** Whether the caller of the run has a conversation with the flow, as callers over A2A have. */
  readonly hasConversation: boolean;
  /** What the run may still use, for calls that pass a budget on. */
  readonly left: () => Left;
}

/** What a node sends to the caller of the run. */
export interface Replies {
  /** `use` names a step of the execution: the same content from two steps is sent twice. */
  readonly reply: (content: Omit<Reply, 'node_id'>, use?: string) => void;
  /**
   * Streams the text of this attempt to the caller while it is written. Undefined if no caller receives it.
   */
  readonly callerText: () => CallerText | undefined;
}

/** Log entries about steps within an attempt. */
export interface Notes {
  /** Logs that the attempt continues differently, such as with a fallback model. */
  readonly noteFallback: (message: string) => void;
  readonly note: (entry: Note) => void;
}

/** Child scopes of the node. A name identifies a scope within the execution. */
export interface ChildScopes {
  /**
   * Executes nodes of the same flow in a child scope, beginning with the given node. A scope that has ended
   * returns the same end again, also after a pause. Rejects if the whole run ends.
   */
  readonly enter: (name: string, entrance: Entrance) => RunningScope;
  /**
   * Executes another flow in a child scope that sees no values of this one. Its output is the flow's
   * response.
   */
  readonly callFlow: (name: string, called: CalledFlow) => RunningScope;
  /** How the scope of that name ended, if it has ended earlier. */
  readonly ended: (name: string) => ScopeEnd | undefined;
  /** Discards a paused scope. */
  readonly drop: (name: string) => void;
}

export type Note = Pick<
  LogEntry,
  'event' | 'message' | 'tokens' | 'finish_reason' | 'duration_ms' | 'tool'
> & {
  readonly level?: LogEntry['level'];
};

/** The ports as a node calls them: within its time, and counted. */
export interface Calls {
  /** With `onText`, the pieces of the answer go there, and not to those who watch the run. */
  readonly model: (request: ModelRequest, onText?: (piece: string) => void) => Promise<ModelAnswer>;
  readonly http: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Throws `file.*` for a file that the run may not use. */
  readonly findFile: (id: string) => Promise<StoredFileReference>;
  readonly mcpTools: (server: McpServer) => Promise<readonly McpTool[]>;
  readonly mcpCall: (server: McpServer, tool: string, args: JsonObject) => Promise<McpAnswer>;
  /** With `isLast`, a task that is still in progress is canceled. */
  readonly agent: (request: AgentRequest, isLast?: boolean) => Promise<AgentAnswer>;
  readonly discover: (filter: AgentFilter) => Promise<readonly FoundAgent[]>;
  readonly readStored: (key: StoreKey) => Promise<StoredValue | undefined>;
  /** The new version; undefined if the value has another version than the write expects. */
  readonly writeStored: (write: StoreWrite) => Promise<string | undefined>;
  /** Between two tries, in ms. Not kept in the log. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly runCode: (request: CodeCall) => Promise<CodeOutcome>;
  /**
   * Throws `flow.cycle` for a flow that is in the chain of calls, and `limit.depth` if the chain is too long.
   */
  readonly findFlow: (request: FlowRequest) => Promise<FoundFlow>;
}

export interface Left {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** Time until the run has to end. */
  readonly ms: number;
  /** How many flows and agents may still be added to the chain. */
  readonly depth: number;
  readonly toolOutputBytes: number;
}

export interface Entrance {
  readonly start: string;
  /** Visible to expressions in the scope. */
  readonly item?: Json;
  readonly index?: number;
  readonly merge?: MergedVariables | undefined;
}

/** Variables whose values the end of a scope has, if the scope has changed them. */
export interface MergedVariables {
  readonly names: readonly string[];
  /** The state with which the scope begins, instead of that around it. */
  readonly state: JsonObject;
}

export interface CalledFlow {
  readonly found: FoundFlow;
  readonly message: string;
  readonly user_variables: JsonObject;
  /**
   * Whether the text that its nodes stream goes to the caller of the run. It does not in a flow that was
   * called for its response alone.
   */
  readonly isStreamed?: boolean;
  /** Whether it checks a text that nobody may see yet: its log quotes nothing, and nobody sees what its models write. */
  readonly isQuiet?: boolean;
}

export interface RunningScope {
  /** Settles when the scope has ended or is paused. */
  readonly end: Promise<ScopeEnd>;
  /** Ends it as `canceled`, because it is not needed any more. */
  readonly cancel: () => void;
}

export type ScopeEnd =
  /** The output of its last node, or the response of a called flow; and the variables of `merge`. */
  | { readonly status: 'completed'; readonly output: Json; readonly assigned?: JsonObject | undefined }
  | { readonly status: 'failed'; readonly error: NodeError }
  | { readonly status: 'canceled' }
  /**
   * The node returns `{ pause: { kind: 'inside' } }` once its other child scopes are paused or have ended.
   */
  | { readonly status: 'paused' }
  /** Like `paused`, but because this invocation is over: how the scope will end is not known yet. */
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
  /** All nodes, including those in blocks: ids are unique in the whole flow. */
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  /** Modules that are loaded before the first node runs. */
  readonly modules: readonly LazyModule<unknown>[];
  /** Whether all nodes do: a run that is lost before it is stored can be executed again, and nobody notices. */
  readonly onlyComputes: boolean;
}

export interface CompiledNode {
  readonly id: string;
  readonly type: string;
  readonly run: RunNode;
  /** Evaluates the fields that hold templates, by their names. Prepared when it is called: most runs have no use for it. */
  readonly fields: () => Render;
  /** Its time limit defaults to that of the run. */
  readonly isLong: boolean;
  /** Whether the text of its models is sent to nobody while it is written, because it is checked first. */
  readonly holdsText: boolean;
  /** Whether the text of its models goes to the caller of the run. */
  readonly isStreamed: boolean;
  readonly next: string | undefined;
  readonly assign: Assign | undefined;
  readonly retry: Retry | undefined;
  readonly catch: readonly CompiledCatcher[];
  readonly timeoutSeconds: number | undefined;
  readonly maxVisits: number | undefined;
  /** The node at which the scope continues once this one has no visit left. */
  readonly onMaxVisits: string | undefined;
}

/** Name and value of each variable of the state that is assigned. */
export type Assign = readonly (readonly [string, Render])[];

type CompiledCatcher = Pick<Catcher, 'on' | 'next'> & { readonly assign: Assign | undefined };

/** A flow of the registry, ready to be called. */
export interface FoundFlow {
  readonly flow: CompiledFlow;
  readonly flowid: string;
  /** Identifies the build: a run that resumes after a pause asks for the same build. */
  readonly build: string;
  readonly env: JsonObject;
  /** Ports with the connections that it declares; for other ports it uses those of its caller. */
  readonly ports?: EgressPorts;
}

/** The ports that use the connections of the flow. */
export interface EgressPorts {
  readonly http?: HttpPort;
  readonly mcp?: McpPort;
  readonly agent?: AgentPort;
  /** The values of that flow. */
  readonly store?: StorePort;
}

export interface FlowRequest {
  readonly flowid: string;
  /** Defaults to the live build. */
  readonly build?: string;
}
