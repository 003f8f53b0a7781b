// A message without a task id starts a new task.
import type { RunScope } from '#lib/delivery/push-config.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { deriveRunId, newRunId } from '#lib/ids.ts';
import { isNamed } from '#lib/run/call-chain.ts';
import { type Conversation, countTurn } from '#lib/run/conversation-items.ts';
import { readRuns } from '#lib/run/read-runs.ts';
import { readRun } from '#lib/run/run-items.ts';
import type { RunView } from '#lib/run/state.ts';
import { newContextId } from '#lib/run/stored-run.ts';
import { requireBudget } from '#lib/usage/check-budget.ts';
import { A2ARefusal } from './errors.ts';
import { toFlowInput } from './message-input.ts';
import { type CallContext, findOwnTask, isOwnRun } from './own-task.ts';
import type { SendMessageParams } from './params.ts';

/**
 * The options of `startInline` and `startQueued`. Throws `budget_exhausted` before anything is stored. The push notification configuration of the message is stored
 * now, before the task.
 */
export async function prepareStart(context: CallContext, params: SendMessageParams) {
  const name = nameTask(context, params);
  const runId = name?.runId ?? newRunId();
  const { row, extensions } = context;
  const { orgid, workspaceid } = row;
  requireBudget(row, context.caller);
  const known = params.message.contextId ?? (await findReferencedContext(context, params.message));
  const contextId = known ?? newContextId(runId);
  const flowInput = toFlowInput(params, { taskId: runId, contextId, extensions: extensions.active });
  const turn = known === undefined ? 1 : await countTurn(toConversation(context, known), Date.now());
  const pushConfigs = await storePushConfig({ run_id: runId, orgid, workspaceid }, context, params);
  return {
    runId,
    contextId,
    ...(turn > 1 && { turn }),
    ...context,
    trigger: 'a2a',
    environment: context.row.status,
    flowInput,
    keepInput: JSON.stringify(flowInput),
    pushConfigs,
    ...(name && { fingerprint: name.fingerprint }),
  } as const;
}

interface TaskName {
  readonly runId: string;
  readonly fingerprint: string;
}

/**
 * The id of a message alone does not name a task, since clients use one id for many messages. A client that does not
 * says so in the metadata.
 */
function nameTask({ row, caller }: CallContext, { message }: SendMessageParams): TaskName | undefined {
  if (!isNamed(message.metadata)) return undefined;
  const { orgid, workspaceid, flowid } = row;
  const task = [orgid, workspaceid, flowid, caller.orgid, caller.id, message.messageId];
  return {
    runId: deriveRunId(JSON.stringify(['a2a', ...task])),
    fingerprint: computeFingerprint([...task, message.parts]),
  };
}

/** The task that an earlier request with the same message has started. */
export async function findStartedTask(
  context: CallContext,
  params: SendMessageParams,
): Promise<RunView | undefined> {
  const name = nameTask(context, params);
  const run = name && (await readRun(name.runId));
  if (!name || !run) return undefined;
  if (run.fingerprint === name.fingerprint) return await findOwnTask(context, name.runId);
  throw new A2ARefusal('INVALID_PARAMS', undefined, [
    { pointer: '/params/message/messageId', detail: 'must be new: it came with other parts before' },
  ]);
}

/** The number of configurations that the task has. */
async function storePushConfig(
  run: RunScope,
  context: CallContext,
  params: SendMessageParams,
): Promise<number | undefined> {
  if (!params.configuration?.taskPushNotificationConfig) return undefined;
  // Loaded here, because most messages have no configuration.
  const { storeForNewTask } = await import('./push-config.ts');
  return await storeForNewTask(run, context, params);
}

const toConversation = ({ row, caller }: CallContext, context_id: string): Conversation => ({
  orgid: row.orgid,
  workspaceid: row.workspaceid,
  flowid: row.flowid,
  caller_orgid: caller.orgid,
  caller_id: caller.id,
  context_id,
});

/** Tasks that a message may refer to, of which the first of the caller with the agent counts. */
const referencesMax = 10;

/** The context of a task that the message refines (A2A v1.0.1 §3.4.3). Tasks of others are like missing ones. */
async function findReferencedContext(
  context: CallContext,
  { referenceTaskIds = [] }: SendMessageParams['message'],
): Promise<string | undefined> {
  if (referenceTaskIds.length === 0) return undefined;
  const ids = [...new Set(referenceTaskIds)].slice(0, referencesMax);
  const runs = await readRuns(ids);
  const own = ids.map((id) => runs.get(id)).find((run) => run !== undefined && isOwnRun(context, run));
  return own?.context_id;
}
