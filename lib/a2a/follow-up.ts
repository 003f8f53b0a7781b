// A message to a task that waits: the answer to what it asks, or the word that its connections are stored now.
import { ServiceError } from '#lib/errors.ts';
import type { Json } from '#lib/json/json.ts';
import { readAnswers } from '#lib/run/questions.ts';
import type { RunView } from '#lib/run/state.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { type Conversation, currentTask, ownTask } from './own-task.ts';
import { type IncomingMessage, textOf } from './params.ts';
import { answerMs } from './rest.ts';

/** One in its course takes no message, and an ended one never does (A2A v1.0.1 §3.1.1). */
export async function followUp(
  conversation: Conversation,
  message: IncomingMessage,
  taskId: string,
): Promise<RunView> {
  const view = await ownTask(conversation, taskId);
  if (message.contextId !== undefined && message.contextId !== view.run.context_id) {
    throw new A2ARefusal('INVALID_PARAMS', undefined, [
      { pointer: '/params/message/contextId', detail: "must be the task's context" },
    ]);
  }
  const isKnown = readAnswers(view.events).some(({ messageId }) => messageId === message.messageId);
  if (isFinal(view.status) && !isKnown)
    throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The task is over; send a message without taskId.');
  await answerTask(view, message, conversation.remainingMs() - answerMs);
  return await currentTask(taskId);
}

async function answerTask(view: RunView, message: IncomingMessage, waitMs: number): Promise<void> {
  const id = message.metadata?.request_id;
  try {
    // To a task that has asked nothing, a message says that something was stored.
    const answer = view.hasAsked ? { answer: answerOf(message) } : {};
    const telling = { messageId: message.messageId, ...answer, ...(typeof id === 'string' && { id }) };
    // Loaded with the first answer, since it brings the client of SQS along, which most cold starts have no use for.
    const { resumeRun } = await import('#lib/run/resume.ts');
    await resumeRun(view, telling, waitMs);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The structured part, if there is one, else the text. */
function answerOf(message: IncomingMessage): Json {
  const structured = message.parts.find((part) => part.data !== undefined);
  return structured?.data ?? textOf(message.parts);
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (error.code === 'run_not_waiting') return new A2ARefusal('UNSUPPORTED_OPERATION', error.detail);
  if (error.code === 'run_busy')
    return new A2ARefusal(
      'UNSUPPORTED_OPERATION',
      'The task is busy with something else first; send it again.',
    );
  if (error.code !== 'validation_failed') return error;
  const violations = (error.errors ?? []).map(({ pointer, detail }) => ({
    pointer: pointer === '/body/id' ? '/params/message/metadata/request_id' : '/params/message/parts',
    detail,
  }));
  return new A2ARefusal('INVALID_PARAMS', undefined, violations);
}
