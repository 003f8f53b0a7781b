// Messages to other agents over A2A, and the search for agents in the registry.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Secret } from '#lib/secret.ts';
import type { NodeCall } from './node-call.ts';

export interface AgentRequest {
  /** The same for a message that is sent again by another process, and different for every other message. */
  readonly key: string;
  /** A registry id of this service (`reg_…`), or the URL of an agent or of its card. */
  readonly agent: string;
  readonly text?: string;
  readonly data?: Json;
  /** Continues an earlier task or conversation of that agent. */
  readonly task_id?: string;
  readonly context_id?: string;
  /** Begins a new conversation if the agent refuses that one. */
  readonly isContextOptional?: boolean;
  readonly connection?: string;
  /** Whether the card of the agent must be signed by a key of its origin. */
  readonly isCardVerified?: boolean;
  /** URIs of the A2A extensions to activate. */
  readonly extensions?: readonly string[];
  readonly egress: readonly string[];
  /** Metadata of the message: what is left of the budget, and the chain of calls. */
  readonly metadata: JsonObject;
  /** A task that an earlier request has started. No message is sent: the task is read. */
  readonly started_task?: string;
  /** That task is read again later, so an agent that does not respond now is `working`. */
  readonly isReadLater?: boolean;
  /** Milliseconds after which a task that is still in progress is returned as `working`. Default: never. */
  readonly patienceMs?: number;
}

/** Where an agent sends its push notifications of a task. */
export interface NotificationTarget {
  readonly id: string;
  readonly url: string;
  readonly token: Secret;
}

/** Creates the same target for a task each time. */
export type CreateNotificationTarget = (task: {
  readonly agent: string;
  readonly task_id: string;
}) => Promise<NotificationTarget>;

/** A task that a run has started. Plain JSON, which is enough to cancel the task without the flow. */
export type RemoteTask = Pick<
  AgentRequest,
  'agent' | 'connection' | 'isCardVerified' | 'extensions' | 'egress'
> & {
  /** Absent while the agent has not answered the message. */
  readonly task_id?: string;
  /** The message that starts the task, and the attempt of its node. Absent in a snapshot. */
  readonly message?: Pick<
    AgentRequest,
    'key' | 'text' | 'data' | 'context_id' | 'isContextOptional' | 'metadata'
  > & { readonly attempt: number };
  /** Identifies the last message to which the agent has answered with this task. */
  readonly message_key?: string;
  /** When its last read began, in ms since 1970. */
  readonly read_at?: number;
  /** The declaration of its connection. */
  readonly declared?: JsonObject;
};

export interface AgentAnswer {
  readonly state:
    | 'completed'
    | 'failed'
    | 'canceled'
    | 'rejected'
    | 'input_required'
    | 'auth_required'
    /** In progress after `patienceMs`. */
    | 'working';
  readonly task_id?: string;
  readonly context_id?: string;
  /** Text of the answer: of its message, of its artifacts, or of its question. */
  readonly text: string;
  /** Data parts of the answer: a single one as it is, several as a list. */
  readonly data?: Json;
  /** Whether the agent notifies this service of a task that is still in progress. */
  readonly isNotified?: boolean;
  /** What the task has used in all, as an agent of this service reports it. */
  readonly used?: UsedByAgent;
}

export interface UsedByAgent {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
}

/** Which registry agents an `agent` or `a2a` node may choose from. All given filters apply. */
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

/**
 * Sends one message and waits for the result. Throws a `NodeError` (`a2a.*`, `egress.*`, `connection.*`,
 * `timeout`).
 */
export type AgentPort = (request: AgentRequest, call: NodeCall) => Promise<AgentAnswer>;

/**
 * Asks the agent to cancel a task, and returns what it has used, as an agent of this service reports it. Best
 * effort: the agent may not respond, which is no error.
 */
export type CancelTaskPort = (task: RemoteTask) => Promise<UsedByAgent | undefined>;

/** Agents that the run's organisation may call, best first. */
export type DiscoverPort = (filter: AgentFilter, call: NodeCall) => Promise<readonly FoundAgent[]>;
