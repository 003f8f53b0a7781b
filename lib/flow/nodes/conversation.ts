// Opens the conversation of a node, for flows that have one.
import { lazyModule } from '#lib/lazy.ts';
import type { NodeContext } from '../engine/node-context.ts';
import type { AskForText, ConversationFields, OpenConversation } from './conversation-field.ts';

type OpenConversations = (context: NodeContext, ask: AskForText) => Promise<OpenConversation>;

/** Loaded only for flows that have one. */
export const conversations = lazyModule(() => import('./stored-conversation.ts'));

export function prepareConversation(fields: ConversationFields | undefined): OpenConversations {
  if (!fields) return async () => noConversation;
  let open: ReturnType<typeof import('./stored-conversation.ts').prepareStored> | undefined;
  return async (context, ask) => {
    const { prepareStored } = conversations.loaded() ?? (await conversations.load());
    open ??= prepareStored(fields);
    return (await open(context, ask)) ?? noConversation;
  };
}

const noConversation: OpenConversation = { messages: [], add: async () => undefined };
