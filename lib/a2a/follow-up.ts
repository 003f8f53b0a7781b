// A message to a task that is paused: the answer to its question, or the notice that its connections are
// stored. Loaded with the first message to a task.
import { ServiceError } from '#lib/errors.ts';
import { readMessageAnswer } from '#lib/flow/engine/message-answer.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { readAnswers } from '#lib/run/questions.ts';
import type { RunView } from '#lib/run/state.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { type CallContext, findOwnTask, readTask } from './own-task.ts';
import type { IncomingMessage, SendMessageParams } from './params.ts';
import { responseReserveMs } from './task-events.ts';

/** A task that is working accepts no message, and one that has ended never does (A2A v1.0.1 §3.1.1). */
export async function followUp(
  context: CallContext,
  params: SendMessageParams,
  taskId: string,
): Promise<RunView> {
  const { message, configuration } = params;
  if (configuration?.taskPushNotificationConfig) {
    const { storeForMessage } = await import('./push-config.ts');
    await storeForMessage(context, taskId, params);
  }
  const view = await findOwnTask(context, taskId);
  if (message.contextId !== undefined && message.contextId !== view.run.context_id) {
    throw new A2ARefusal('INVALID_PARAMS', undefined, [
      { pointer: '/params/message/contextId', detail: "must be the task's context" },
    ]);
  }
  const isKnown = readAnswers(view.events).some(({ messageId }) => messageId === message.messageId);
  if (isFinal(view.status) && !isKnown)
    throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The task has ended; send a message without taskId.');
  await answerTask(view, message, context.remainingMs() - responseReserveMs);
  return await readTask(context, taskId);
}

async function answerTask(view: RunView, message: IncomingMessage, waitMs: number): Promise<void> {
  const id = message.metadata?.request_id;
  try {
    // If the task has asked nothing, the message means that its connections were stored.
    const answer = view.hasAsked ? { answer: readMessageAnswer(message.parts) } : {};
    const input = {
      messageId: message.messageId,
      message: toStoredMessage(message, view),
      ...answer,
      ...(typeof id === 'string' && { id }),
    };
    // Loaded with the first answer, because it imports the SQS client, which most cold starts do not need.
    const { resumeRun } = await import('#lib/run/resume.ts');
    await resumeRun(view, input, waitMs);
  } catch (error) {
    throw toRefusal(error);
  }
}

/** As it was sent. Throws if it is too large, by itself or with the earlier messages of the task. */
function toStoredMessage(message: IncomingMessage, { events }: RunView): JsonObject {
  const stored: JsonObject = JSON.parse(JSON.stringify(message));
  if (jsonBytes(stored) > limits.a2aMessageBytes)
    throw tooLarge(`must be smaller: the message may have ${limits.a2aMessageBytes} bytes of JSON`);
  const earlier = events.map(({ message }) => (message === undefined ? 0 : Buffer.byteLength(message)));
  if (sum(earlier) + jsonBytes(stored) <= taskMessagesBytesMax) return stored;
  throw tooLarge(`must be smaller: the answers of a task may have ${taskMessagesBytesMax} bytes of JSON`);
}

/** A task shows all of its messages, so that they must fit into one response. */
const taskMessagesBytesMax = 4 * 1024 ** 2;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

const tooLarge = (detail: string) =>
  new A2ARefusal('INVALID_PARAMS', undefined, [{ pointer: '/params/message/parts', detail }]);

function toRefusal(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (error.code === 'run_not_waiting') return new A2ARefusal('UNSUPPORTED_OPERATION', error.detail);
  if (error.code === 'run_busy')
    return new A2ARefusal('UNSUPPORTED_OPERATION', 'The task is busy at the moment; send the message again.');
  if (error.code !== 'validation_failed') return error;
  const violations = (error.errors ?? []).map(({ pointer, detail }) => ({
    pointer: pointers.get(pointer) ?? '/params/message/parts',
    detail,
  }));
  return new A2ARefusal('INVALID_PARAMS', undefined, violations);
}

/** Where a message has what an answer has in the body of a request to resume a run. */
const pointers: ReadonlyMap<string, string> = new Map([
  ['/body/id', '/params/message/metadata/request_id'],
  ['/body/messageId', '/params/message/messageId'],
]);
