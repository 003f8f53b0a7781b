// Counts the messages of a conversation that start tasks. A conversation is an A2A context of one caller with one agent.
// It is counted from its second message on, so that a single message writes nothing here.
import { runsTable } from '#lib/dynamo/client.ts';
import { isFailedCondition } from '#lib/dynamo/conditions.ts';
import { updateItem } from '#lib/dynamo/items.ts';
import { readRun } from './run-items.ts';
import { contextPrefix, keepUntil, type StoredRun } from './stored-run.ts';

/** A context, of one caller, with an agent, which is a flow of a workspace. */
export type Conversation = Pick<
  StoredRun,
  'orgid' | 'workspaceid' | 'flowid' | 'caller_orgid' | 'caller_id' | 'context_id'
>;

/** The number of the message in its conversation, from 1. A message that is refused after this leaves a gap. */
export async function countTurn(conversation: Conversation, now: number): Promise<number> {
  const next = await addTurn(conversation, now);
  return next ?? (await addTurn(conversation, now, await countFirstTask(conversation))) ?? 1;
}

/** Undefined if nothing is counted yet and no number is given to begin with. */
async function addTurn(
  conversation: Conversation,
  now: number,
  before?: number,
): Promise<number | undefined> {
  const isFirst = before !== undefined;
  try {
    const { turns } = await updateItem(runsTable, conversationKey(conversation), {
      UpdateExpression: `SET turns = ${isFirst ? 'if_not_exists(turns, :before)' : 'turns'} + :one, #ttl = :ttl`,
      ...(!isFirst && { ConditionExpression: 'attribute_exists(turns)' }),
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':ttl': keepUntil(now), ...(isFirst && { ':before': before }) },
      ReturnValues: 'UPDATED_NEW',
    });
    return Number(turns);
  } catch (error) {
    if (isFailedCondition(error)) return undefined;
    throw error;
  }
}

/** A context of ours begins with a task that was not counted; one that the client named itself does not. */
async function countFirstTask(conversation: Conversation): Promise<number> {
  const { context_id } = conversation;
  if (!context_id.startsWith(contextPrefix)) return 0;
  const run = await readRun(context_id.slice(contextPrefix.length));
  return run && isOfConversation(run, conversation) ? 1 : 0;
}

const isOfConversation = (run: StoredRun, conversation: Conversation): boolean =>
  run.context_id === conversation.context_id &&
  run.orgid === conversation.orgid &&
  run.workspaceid === conversation.workspaceid &&
  run.flowid === conversation.flowid &&
  run.caller_orgid === conversation.caller_orgid &&
  run.caller_id === conversation.caller_id;

const conversationKey = (scope: Conversation) => ({
  pk: `CONTEXT#${scope.orgid}#${scope.workspaceid}#${scope.flowid}#${scope.caller_orgid}#${scope.caller_id}#${scope.context_id}`,
  sk: 'TURNS',
});
