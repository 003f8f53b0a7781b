// A message to a task that waits: the answer to what it asks, or the word that its connections are stored now.
import { ServiceError } from '#lib/errors.ts';
import type { Json } from '#lib/json.ts';
import { resumeRun } from '#lib/run/resume.ts';
import type { RunView } from '#lib/run/state.ts';
import { A2ARefusal } from './errors.ts';
import { type IncomingMessage, textOf } from './params.ts';

export async function answerTask(view: RunView, message: IncomingMessage): Promise<void> {
  const id = message.metadata?.request_id;
  try {
    await resumeRun(view, {
      messageId: message.messageId,
      ...(view.status !== 'auth_required' && { answer: answerOf(message) }),
      ...(typeof id === 'string' && { id }),
    });
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
  if (error.code !== 'validation_failed') return error;
  const violations = (error.errors ?? []).map(({ pointer, detail }) => ({
    pointer: pointer === '/body/id' ? '/params/message/metadata/request_id' : '/params/message/parts',
    detail,
  }));
  return new A2ARefusal('INVALID_PARAMS', undefined, violations);
}
