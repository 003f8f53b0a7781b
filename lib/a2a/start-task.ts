// A message without a task starts one.
import { newRunId } from '#lib/ids.ts';
import { inputOf } from './message-input.ts';
import type { Conversation } from './own-task.ts';
import type { IncomingMessage } from './params.ts';

/** For `startInline` and `startQueued`. */
export function startOf(conversation: Conversation, message: IncomingMessage) {
  const flowInput = inputOf(message);
  return {
    runId: newRunId(),
    contextId: message.contextId ?? newRunId(),
    ...conversation,
    trigger: 'a2a',
    environment: conversation.row.status,
    flowInput,
    keepInput: JSON.stringify(flowInput),
  } as const;
}
