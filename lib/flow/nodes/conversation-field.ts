// The field `conversation` of `llm` and `agent` nodes, which continue what was said in earlier runs.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { named } from '../format/notes.ts';
import { keepDays } from './store-key.ts';

export const conversationField = /* @__PURE__ */ lazy(() =>
  named(
    'conversation',
    z
      .strictObject({
        key: z
          .string()
          .min(1)
          .optional()
          .meta({
            description:
              'Which conversation to continue; template. Defaults to the A2A context of the caller.',
            examples: ['{{ input.event.channel }}'],
          }),
        turns: z.int().min(1).max(limits.conversationTurnsMax).optional().meta({
          description: 'Most turns that the model sees again, and that are kept.',
          default: limits.conversationTurnsDefault,
        }),
        max_tokens: z.int().min(1).max(limits.conversationTokensMax).optional().meta({
          description: 'Most tokens of these turns, estimated at four bytes each; the oldest are dropped.',
        }),
        summary: z.boolean().optional().meta({
          description:
            'Whether the model summarizes turns that are dropped, with one more call now and then.',
          default: false,
        }),
        keep_days: keepDays(),
      })
      .meta({
        title: 'Conversation',
        description: 'The turns of earlier runs that the model sees, and to which this one is added.',
      }),
  )
    .optional()
    .meta({
      description: 'Continues the conversation of earlier runs: with this caller, or of a key.',
    }),
);

export type ConversationFields = NonNullable<z.infer<ReturnType<typeof conversationField>>>;

/** The conversation of one execution. */
export interface OpenConversation {
  /** What was said before, oldest first: messages of the user and the model in turn. */
  readonly messages: readonly SaidMessage[];
  /**
   * Adds the turn of this execution, once, however often the execution is repeated. Providers refuse empty messages,
   * so a turn with one is not kept.
   */
  readonly add: (user: string, assistant: string) => Promise<void>;
}

/** A type, because it is sent as JSON, which no interface is. */
export type SaidMessage = { readonly role: 'user' | 'assistant'; readonly content: string };

/** Asks the model of the node for a text. */
export type AskForText = (messages: readonly SaidMessage[]) => Promise<string>;
