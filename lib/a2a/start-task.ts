// A message without a task id starts a new task.
import { newRunId } from '#lib/ids.ts';
import { toFlowInput } from './message-input.ts';
import type { CallContext } from './own-task.ts';
import type { SendMessageParams } from './params.ts';
import { storeForNewTask } from './push-config.ts';

/**
 * The options of `startInline` and `startQueued`. The push notification configuration of the message is stored
 * now, before the task.
 */
export async function prepareStart(context: CallContext, params: SendMessageParams) {
  const runId = newRunId();
  const contextId = params.message.contextId ?? newRunId();
  const { row, extensions = [] } = context;
  const { orgid, workspaceid } = row;
  const flowInput = toFlowInput(params, { taskId: runId, contextId, extensions });
  const pushConfigs = await storeForNewTask({ run_id: runId, orgid, workspaceid }, params);
  return {
    runId,
    contextId,
    ...context,
    trigger: 'a2a',
    environment: context.row.status,
    flowInput,
    keepInput: JSON.stringify(flowInput),
    pushConfigs,
  } as const;
}
