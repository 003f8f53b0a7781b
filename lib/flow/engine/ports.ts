// All that the engine may touch of the outside world, and the words it uses for it. Types only: the engine stays pure.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { CompiledFlow } from '../definition/compile.ts';
import type { Compute, ComputePort } from '../expression/compute.ts';
import type { Reply, TextPiece } from './output.ts';
import type { Snapshot } from './snapshot.ts';

/** Who asks: identifies one attempt of one node of one run, and ends it early through `signal`. */
export interface NodeCall {
  readonly runId: string;
  readonly nodeId: string;
  /** 1 for the first time the cursor of its scope enters the node, 2 for the second (a loop), … */
  readonly visit: number;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
  /** Aborts at the node's timeout, at the run's deadline and when the run is canceled. */
  readonly signal: AbortSignal;
  /** Where a port evaluates what callers and flows have sent, if there is another thread for it. */
  readonly compute?: Compute;
  /** Hears the text of a model's answer as it comes, in pieces; of an answer with `output_schema` nothing, as it is of no use before it is whole. */
  readonly onText?: (piece: string) => void;
}

/** One entry of a flow's `models`: a model the tenant has configured under `name`, or a provider and its model id. */
export interface ModelChoice {
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | ({ readonly role: 'assistant'; readonly content: string } & ToolTurn)
  /** What a tool gave: the answer to the call of that id. */
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly name: string; readonly content: string };

interface ToolTurn {
  /** Present when the model wants tools before it goes on. */
  readonly tool_calls?: readonly ToolCall[];
  /** What the provider wants back with such a turn, such as reasoning that it has signed. Opaque: kept with the conversation, never shown. */
  readonly provider_parts?: Json;
}

/** What a model may ask for in its turn. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: whoever runs the tool checks them. */
  readonly arguments: Json;
}

export interface ModelRequest {
  /** The flow's choice; an empty object asks for the tenant's default model. */
  readonly model: ModelChoice;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** JSON Schema of the object to return; without it the answer is text. */
  readonly output_schema?: JsonObject;
  readonly tools?: readonly ToolDeclaration[];
  readonly temperature?: number;
  readonly max_tokens?: number;
  /** How much to think before the answer; without it as the provider decides. */
  readonly reasoning?: 'low' | 'medium' | 'high';
}

export interface ModelAnswer extends ToolTurn {
  /** The text, or the object that `output_schema` describes; beside calls of tools what it said, perhaps nothing. */
  readonly output: Json;
  /** The model that answered, as `provider/model`. */
  readonly model: string;
  readonly tokens: { readonly input: number; readonly output: number };
}

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Already serialised. */
  readonly body?: string;
  /** Name of the connection whose credential the port adds; the engine never sees it. */
  readonly connection?: string;
  readonly response: 'json' | 'text';
  /** Hosts the flow may reach; the port refuses every other. */
  readonly egress: readonly string[];
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** A remote MCP server (Streamable HTTP). */
export interface McpServer {
  readonly url: string;
  readonly connection?: string;
  readonly egress: readonly string[];
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

export interface McpAnswer {
  /** The structured content, or else the text, or else the list of content blocks. */
  readonly content: Json;
  readonly isError: boolean;
}

export interface AgentRequest {
  /** A registry id of this service (`reg_…`), or the URL of an agent or of its card. */
  readonly agent: string;
  readonly text?: string;
  readonly data?: Json;
  /** Goes on with an earlier task or conversation of that agent. */
  readonly task_id?: string;
  readonly context_id?: string;
  readonly connection?: string;
  readonly egress: readonly string[];
  /** Metadata of the message: what is left of the budget, and the chain of agents that led here. */
  readonly metadata: JsonObject;
}

export interface AgentAnswer {
  readonly state: 'completed' | 'failed' | 'canceled' | 'rejected' | 'input_required' | 'auth_required';
  readonly task_id?: string;
  readonly context_id?: string;
  /** Text of the answer: of its message, of its artifacts, or of what it asks for. */
  readonly text: string;
  /** Data parts of the answer: one as it is, several as a list. */
  readonly data?: Json;
}

/** Which registry agents an `agent` or `a2a` node may choose from; every filter given has to hold. */
export interface AgentFilter {
  readonly q?: string;
  readonly status?: 'test' | 'live';
  readonly visibility?: 'public' | 'organization';
  readonly tags?: readonly string[];
  readonly input_modes?: readonly string[];
  readonly output_modes?: readonly string[];
}

export interface FoundAgent {
  /** Registry id. */
  readonly agent: string;
  readonly name: string;
  readonly description: string;
}

/** A flow of the registry, ready to be called. */
export interface FoundFlow {
  readonly flow: CompiledFlow;
  readonly flowid: string;
  /** Names this build of it for good: who goes on after a pause asks for the same. */
  readonly build: string;
  readonly env: JsonObject;
  /** Its ways out, which use the connections that it declares; those it does not name are the caller's. */
  readonly ports?: OutsidePorts;
}

/** The ports that use the connections of the flow. */
export type OutsidePorts = Partial<Pick<Ports, 'http' | 'mcp' | 'agent'>>;

export interface FlowRequest {
  readonly flowid: string;
  /** Without it, the live build. */
  readonly build?: string;
}

/** Throws `NodeError` (codes `flow.*`, `timeout`) when there is no such flow that the run's organisation may call. */
export type FlowPort = (request: FlowRequest, call: NodeCall) => Promise<FoundFlow>;

/** Throws `NodeError` (codes `mcp.*`, `egress.*`, `connection.*`, `timeout`) when there is no usable answer. */
export interface McpPort {
  readonly list: (server: McpServer, call: NodeCall) => Promise<readonly McpTool[]>;
  readonly call: (server: McpServer, tool: string, args: JsonObject, call: NodeCall) => Promise<McpAnswer>;
}

/** Sends one message and waits for what the agent makes of it. Throws `NodeError` (codes `a2a.*`, `egress.*`, `connection.*`, `timeout`). */
export type AgentPort = (request: AgentRequest, call: NodeCall) => Promise<AgentAnswer>;

/** Agents that the run's organisation may call, best first. */
export type DiscoverPort = (filter: AgentFilter, call: NodeCall) => Promise<readonly FoundAgent[]>;

export interface LogEntry {
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly node_id?: string;
  readonly node_type?: string;
  /** Of a node inside others: the place of its scope, such as `each.1.0`. */
  readonly scope?: string;
  readonly event:
    | 'run_started'
    | 'started'
    | 'completed'
    | 'retry'
    | 'caught'
    | 'failed'
    | 'canceled'
    | 'paused'
    | 'resumed'
    /** Of an `agent`: a turn of its model, and a tool that was used. */
    | 'turn'
    | 'tool'
    | 'run_completed'
    | 'run_failed'
    /** Written by whoever ended the run from outside, not by the engine. */
    | 'run_canceled'
    | 'truncated';
  readonly message: string;
  /** State of the node (or, in `run_…` entries, of the run) after this entry. */
  readonly status: 'running' | 'completed' | 'failed';
  readonly duration_ms?: number;
  readonly attempt?: number;
  readonly tokens?: { readonly input: number; readonly output: number };
  readonly http?: { readonly host: string; readonly status: number };
}

export interface Ports {
  /** Throws `NodeError` (codes `model.*`, `timeout`). */
  readonly model: (request: ModelRequest, call: NodeCall) => Promise<ModelAnswer>;
  /** Throws `NodeError` (codes `egress.*`, `http.*`, `connection.*`, `timeout`) when there is no usable answer; an answer with any status is returned. */
  readonly http: (request: HttpRequest, call: NodeCall) => Promise<HttpAnswer>;
  /** A port that is absent refuses every call. */
  readonly mcp?: McpPort;
  readonly agent?: AgentPort;
  readonly discover?: DiscoverPort;
  readonly flows?: FlowPort;
  /** Without it, every evaluation has its whole budget on this thread: for one run at a time, as in the terminal. */
  readonly compute?: ComputePort;
  readonly clock: {
    /** Wall time in ms since 1970, for time stamps only. */
    readonly now: () => number;
    /** Monotonic ms, for durations and deadlines. */
    readonly monotonic: () => number;
    /** Ms for which this thread has computed. It stands still while the process is stopped or waits for its turn. */
    readonly cpuMs: () => number;
    /** Resolves after `ms`, rejects when `signal` aborts. */
    readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  /**
   * Called after each node with all that is needed to go on from there. Serialise the snapshot before the call returns its promise: it shares
   * its parts with the run, which may change them. What has run waits for the promise before it goes on. A rejection rejects the run.
   */
  readonly checkpoint: (snapshot: Snapshot) => Promise<void>;
  readonly log: (entry: LogEntry) => void;
  /** The key names the visit that says it: a run that is resumed after a crash may say the same again, under the same key. */
  readonly reply: (reply: Reply, key: string) => void;
  /** Hears models while they write; the whole answer follows as the node's output. Without it nothing is told to the caller as it is written. */
  readonly text?: (piece: TextPiece) => void;
}
