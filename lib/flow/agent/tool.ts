// What a tool of an agent is, and how a use of it may come out.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { NodeContext } from '../engine/node-context.ts';
import type { Question } from '../engine/pause.ts';
import type { Kept } from '../nodes/called-flow.ts';
import type { ToolDeclaration } from '../ports/model.ts';
import type { Found } from './memory.ts';

export interface Tool {
  readonly declaration: ToolDeclaration;
  /** Where its uses go, for people and for the comparison with what was approved. */
  readonly target: string;
  readonly needsApproval: boolean;
  /** Its name is another party's word: it yields to the names of the flow. */
  readonly isForeign: boolean;
  /** Throws `NodeError`, which is reported to the model unless it ends the run. */
  readonly run: (use: ToolUse) => Promise<ToolEnd>;
}

/** What the tools of one conversation share. */
export interface AgentExecution {
  readonly context: NodeContext;
  /** What the keys of its uses begin with. */
  readonly place: string;
  /** The answer to the question that the use of that key has put, until it is `answered`. */
  readonly answerTo: (key: string) => Json | undefined;
  /** Says so in the same breath as what has come of the answer, so that no snapshot has one without the other. */
  readonly answered: (key: string) => void;
  /** Keeps the whole memory of the agent, of which the conversation is a part. */
  readonly keep: () => Promise<void>;
  readonly capture: (values: JsonObject) => void;
}

export interface ToolUse extends AgentExecution {
  /** Fit the declared parameters. */
  readonly args: JsonObject;
  /** Names the use within the execution of the node. */
  readonly key: string;
  readonly kept: Kept;
}

export type ToolEnd =
  | { readonly status: 'completed'; readonly content: Json }
  /** As the tool itself says. */
  | { readonly status: 'failed'; readonly content: Json }
  | PausedTurn;

/** Cannot continue: it has a question or, without one, a child scope is paused or the invocation is over. */
export interface PausedTurn {
  readonly status: 'paused';
  readonly asked?: Asked;
}

export interface Asked {
  readonly key: string;
  readonly question: Question;
}

/**
 * Tools of the flow are known. Those of servers are asked for whenever the agent begins or is resumed; agents of the registry once in a conversation,
 * which keeps what was found.
 */
export type ToolSource = (context: NodeContext, found: Found[]) => Promise<readonly Tool[]> | readonly Tool[];

export const pausedTurn: PausedTurn = { status: 'paused' };

/** Where nothing else is declared, a tool takes a text. */
export const messageParameters: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What is asked for, with all that is needed to do it.' },
  },
  required: ['message'],
  additionalProperties: false,
};
