// All that the engine may touch of the outside world, and the words it uses for it. Types only: the engine stays pure.
import type { Json, JsonObject } from '#lib/json.ts';

/** Who asks: identifies one attempt of one node of one run, and ends it early through `signal`. */
export interface NodeCall {
  readonly runId: string;
  readonly nodeId: string;
  /** 1 for the first time the cursor enters the node, 2 for the second (a loop), … */
  readonly visit: number;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
  /** Aborts at the node's timeout, at the run's deadline and when the run is canceled. */
  readonly signal: AbortSignal;
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
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly ToolCall[] }
  /** What a tool gave: the answer to the call of that id. */
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly name: string; readonly content: string };

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
}

export interface ModelAnswer {
  /** The text, or the object that `output_schema` describes. */
  readonly output: Json;
  /** Present when the model wants tools before it goes on; `output` is then what it said beside, perhaps nothing. */
  readonly tool_calls?: readonly ToolCall[];
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

/** Throws `NodeError` (codes `mcp.*`, `egress.*`, `connection.*`, `timeout`) when there is no usable answer. */
export interface McpPort {
  readonly list: (server: McpServer, call: NodeCall) => Promise<readonly McpTool[]>;
  readonly call: (server: McpServer, tool: string, args: JsonObject, call: NodeCall) => Promise<McpAnswer>;
}

/** Sends one message and waits for what the agent makes of it. Throws `NodeError` (codes `a2a.*`, `egress.*`, `connection.*`, `timeout`). */
export type AgentPort = (request: AgentRequest, call: NodeCall) => Promise<AgentAnswer>;

/** Agents that the run's organisation may call, best first. */
export type DiscoverPort = (filter: AgentFilter, call: NodeCall) => Promise<readonly FoundAgent[]>;

/** What a `reply` node says while the run goes on. */
export interface Reply {
  readonly node_id: string;
  readonly text?: string;
  readonly data?: Json;
}

export interface LogEntry {
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly node_id?: string;
  readonly node_type?: string;
  readonly event:
    | 'run_started'
    | 'started'
    | 'completed'
    | 'retry'
    | 'caught'
    | 'failed'
    | 'run_completed'
    | 'run_failed'
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
  readonly clock: {
    /** Wall time in ms since 1970, for time stamps only. */
    readonly now: () => number;
    /** Monotonic ms, for durations and deadlines. */
    readonly monotonic: () => number;
    /** Resolves after `ms`, rejects when `signal` aborts. */
    readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  /**
   * Called after each node with all that is needed to go on from there. Serialise it before the promise settles: the run stands still until
   * then, and changes the parts of the snapshot afterwards. A rejection rejects the run.
   */
  readonly checkpoint: (snapshot: Snapshot) => Promise<void>;
  readonly log: (entry: LogEntry) => void;
  readonly reply: (reply: Reply) => void;
}

/** The engine's state between two nodes. Opaque outside `lib/flow`, but plain JSON so that it can be sealed and stored. */
export interface Snapshot {
  readonly version: 1;
  readonly next: string;
  readonly steps: number;
  readonly visits: Readonly<Record<string, number>>;
  readonly state: JsonObject;
  readonly nodes: JsonObject;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly elapsedMs: number;
  readonly logSeq: number;
}
