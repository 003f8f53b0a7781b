// A message without a task id starts a new task.
import { newRunId } from '#lib/ids.ts';
import { toFlowInput } from './message-input.ts';
import type { CallContext } from './own-task.ts';
import type { IncomingMessage } from './params.ts';

/** The options of `startInline` and `startQueued`. */
export function prepareStart(context: CallContext, message: IncomingMessage) {
  const flowInput = toFlowInput(message);
  return {
    runId: newRunId(),
    contextId: message.contextId ?? newRunId(),
    ...context,
    trigger: 'a2a',
    environment: context.row.status,
    flowInput,
    keepInput: JSON.stringify(flowInput),
  } as const;
}
