// A message without a task id starts a new task.
import { newRunId } from '#lib/ids.ts';
import { toFlowInput } from './message-input.ts';
import type { CallContext } from './own-task.ts';
import type { SendMessageParams } from './params.ts';

/** The options of `startInline` and `startQueued`. */
export function prepareStart(context: CallContext, params: SendMessageParams) {
  const runId = newRunId();
  const contextId = params.message.contextId ?? newRunId();
  const flowInput = toFlowInput(params, { taskId: runId, contextId });
  return {
    runId,
    contextId,
    ...context,
    trigger: 'a2a',
    environment: context.row.status,
    flowInput,
    keepInput: JSON.stringify(flowInput),
  } as const;
}
