// What a tool of an agent is, and the possible results of using it.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { NodeContext } from '../engine/node-context.ts';
import type { Question } from '../engine/pause.ts';
import type { Render } from '../expression/template.ts';
import type { RemoteContexts } from '../format/remote-contexts.ts';
import type { CallMemory } from '../nodes/called-flow.ts';
import type { Side } from '../nodes/guarding.ts';
import type { ToolDeclaration } from '../ports/model.ts';
import type { FoundPassage } from './citations.ts';
import type { DiscoveredAgents, Use } from './memory.ts';

export interface Tool {
  readonly declaration: ToolDeclaration;
  /** Describes what it calls: shown to people, and compared with what was approved. */
  readonly target: string;
  readonly needsApproval: boolean;
  /** Whether another party chose its name, which then gives way to the names in the flow. */
  readonly isForeign: boolean;
  /** Whether the agent ends with its result. */
  readonly endsAgent?: boolean;
  /** Values that its `result` and `args` give, as an object. */
  readonly assign?: Render;
  /** Throws a `NodeError`, which is reported to the model unless it ends the run. */
  readonly run: (use: ToolUse) => Promise<ToolEnd>;
}

/** What the tools of one conversation share. */
export interface AgentExecution {
  readonly context: NodeContext;
  /** Prefix of the keys of its uses. */
  readonly keyPrefix: string;
  /** The answer to the question of the use with that key, until `clearAnswer` is called. */
  readonly findAnswer: (key: string) => Json | undefined;
  /**
   * Call it in the same step in which the result of the answer is recorded, so that no snapshot has one
   * without the other.
   */
  readonly clearAnswer: (key: string) => void;
  /** Stores the whole memory of the agent, which contains the conversation. */
  readonly keep: () => Promise<void>;
  readonly capture: (values: JsonObject) => void;
  /**
   * Checks a text that the model writes to the caller (`output`), or the caller to the model (`input`), with the
   * guardrails of the agent. Undefined while a flow that checks it is paused.
   */
  readonly guard: (side: Side, value: Json, key: string) => Promise<{ readonly value: Json } | undefined>;
  /** Whether the log does not quote results of tools, because the answer that has them is checked first. */
  readonly hidesResults: boolean;
  /** Gives passages of documents the ids by which the answer cites them. */
  readonly cite: (found: readonly FoundPassage[]) => JsonObject[];
}

export interface ToolUse extends AgentExecution {
  /** The arguments, which fit the declared parameters. */
  readonly args: JsonObject;
  /** Identifies the use within the execution of the node. */
  readonly key: string;
  readonly kept: CallMemory;
  /** Counts a question of the model once; false if the conversation has had `max` of them. */
  readonly takeQuestion: (max: number) => boolean;
  /** The conversations with other agents before this turn. */
  readonly contexts: RemoteContexts;
}

export type ToolEnd =
  | { readonly status: 'completed'; readonly content: Json; readonly remote?: Use['remote'] }
  /** The tool itself reported a failure. */
  | { readonly status: 'failed'; readonly content: Json }
  | PausedTurn;

/**
 * The use cannot continue: it has a question, or a task of another agent takes long, or, without either, a child
 * scope is paused or the invocation is over.
 */
export interface PausedTurn {
  readonly status: 'paused';
  readonly asked?: PendingQuestion;
  /** The time (RFC 3339) at which the tasks of other agents are read. */
  readonly until?: string;
}

export interface PendingQuestion {
  readonly key: string;
  readonly question: Question;
}

/**
 * Lists tools. Tools of the flow are known; those of servers are listed whenever the agent begins or is
 * resumed; registry agents are searched for once in a conversation, which remembers the result.
 */
export type ToolSource = (
  context: NodeContext,
  findings: Findings,
) => Promise<readonly Tool[]> | readonly Tool[];

/** What sources of tools add to while their tools are listed. */
export interface Findings {
  /** Part of the conversation. */
  readonly found: DiscoveredAgents[];
  /** Optional sources that cannot be reached now, of which the model is informed. */
  readonly unavailable: string[];
}

export const pausedTurn: PausedTurn = { status: 'paused' };

/** The default parameters: one text. */
export const messageParameters: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What is asked for, with all that is needed to do it.' },
  },
  required: ['message'],
  additionalProperties: false,
};
