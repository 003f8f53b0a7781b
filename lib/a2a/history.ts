// What the client and the flow of a task have said to each other, in order, read from the events of its run.
import { Message } from '@a2a-js/sdk';
import type { Json } from '#lib/json/json.ts';
import { readAnswers } from '#lib/run/questions.ts';
import { type RunView, readReplies } from '#lib/run/state.ts';
import type { StoredEvent } from '#lib/run/stored-run.ts';
import { toReplyMessage } from './messages.ts';
import { toTaskStatus } from './status.ts';

interface Entry {
  /** A note is shown as the status alone. */
  readonly kind: 'client' | 'reply' | 'note' | 'question';
  readonly message: Message;
}

/** `incoming` is the message that started the task. */
export function listExchange(view: RunView, incoming: Message | undefined): readonly Entry[] {
  const readNewReplies = createReplyReader();
  const readQuestion = createQuestionReader(view);
  const { run_id, context_id } = view.run;
  return [
    ...(incoming ? [{ kind: 'client', message: incoming } as const] : []),
    ...view.events.flatMap((event): Entry[] => {
      const replies = readNewReplies(event).map(
        (reply): Entry => ({
          kind: reply.as === 'status' ? 'note' : 'reply',
          message: toReplyMessage(run_id, context_id, reply),
        }),
      );
      const question = readQuestion(event);
      const answer = readClientMessage(view, event);
      return [
        ...replies,
        ...(question ? [{ kind: 'question', message: question } as const] : []),
        ...(answer ? [{ kind: 'client', message: answer } as const] : []),
      ];
    }),
  ];
}

/** Messages, each once: a run that resumes after a crash may repeat some. */
function createReplyReader() {
  const seen = new Set<string>();
  return (event: StoredEvent) =>
    readReplies(event).filter(({ id, artifact }) => {
      if (artifact || seen.has(id)) return false;
      seen.add(id);
      return true;
    });
}

/** The questions, as they were in the status of the task and with the id that they had there. */
function createQuestionReader({ run }: RunView) {
  let before: StoredEvent | undefined;
  let since = '';
  return (event: StoredEvent): Message | undefined => {
    if (event.status !== before?.status) since = event.at;
    before = event;
    if (event.requests === undefined) return undefined;
    const requests = JSON.parse(event.requests);
    return toTaskStatus('input_required', since, run.run_id, run.context_id, { requests }).message;
  };
}

/** An answer over REST has no message of its own. */
function readClientMessage({ run }: RunView, event: StoredEvent): Message | undefined {
  const [recorded] = event.answer === undefined && event.message === undefined ? [] : readAnswers([event]);
  if (!recorded) return undefined;
  const { message, answer, messageId = `${run.run_id}-answer-${event.generation}` } = recorded;
  const sent = message ?? { messageId, role: 'ROLE_USER', parts: [toAnswerPart(answer?.value ?? null)] };
  return Message.fromJSON({ ...sent, taskId: run.run_id, contextId: run.context_id });
}

const toAnswerPart = (value: Json) => (typeof value === 'string' ? { text: value } : { data: value });
