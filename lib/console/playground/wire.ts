// A2A 1.0 as it is on the wire (JSON-RPC), as far as the playground reads it.

export interface Part {
  readonly text?: string;
  readonly data?: unknown;
  readonly raw?: string;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
}

export interface Message {
  readonly messageId: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly Part[];
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts?: readonly Part[];
}

export interface TaskStatus {
  readonly state: string;
  readonly message?: Message;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
}

/** What each event of a stream contains: one of these members. */
export interface StreamResult {
  readonly task?: Task;
  readonly message?: Message;
  readonly statusUpdate?: {
    readonly taskId: string;
    readonly contextId: string;
    readonly status: TaskStatus;
  };
  readonly artifactUpdate?: {
    readonly taskId: string;
    readonly contextId: string;
    readonly artifact: Artifact;
    readonly append?: boolean;
    readonly lastChunk?: boolean;
  };
}

const finalStates = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
];

/** Nothing more will happen to the task. */
export const isFinalState = (state: string | undefined): boolean =>
  state !== undefined && finalStates.includes(state);

/** The agent goes on without another message: there is something to follow. */
export const isMoving = (state: string | undefined): boolean =>
  state !== undefined && !isFinalState(state) && state !== 'TASK_STATE_INPUT_REQUIRED';
