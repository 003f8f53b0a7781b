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
}

/** One entry of a flow's `models`: a model the tenant has configured under `name`, or a provider and its model id. */
export interface ModelChoice {
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface ModelRequest {
  /** The flow's choice; an empty object asks for the tenant's default model. */
  readonly model: ModelChoice;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** JSON Schema of the object to return; without it the answer is text. */
  readonly output_schema?: JsonObject;
  readonly temperature?: number;
  readonly max_tokens?: number;
}

export interface ModelAnswer {
  /** The text, or the object that `output_schema` describes. */
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
  /** Throws `NodeError` (codes `egress.*`, `http.*`, `timeout`) when there is no usable answer; an answer with any status is returned. */
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
