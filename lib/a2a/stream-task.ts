// A task as a stream (A2A v1.0.1 §3.1.2, §3.1.6): the task first, then what happens to it, in the order in which it was stored.
import { StreamResponse } from '@a2a-js/sdk';
import { heldStream } from '#lib/limits/held-stream.ts';
import type { StoredReply } from '#lib/run/output.ts';
import { finishInline, startInline } from '#lib/run/run-inline.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import { isFinal, isPaused, type StoredEvent, type StoredRun } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { followUp } from './follow-up.ts';
import { type Tailor, tailor } from './output-modes.ts';
import { type Conversation, ownTask, shownTask } from './own-task.ts';
import type { IncomingMessage, SendMessageParams } from './params.ts';
import { eventsAfter, isAtRest, isStuck } from './rest.ts';
import { startOf } from './start-task.ts';
import { createUpdates, follow } from './updates.ts';

export async function sendStreamingMessage(
  conversation: Conversation,
  { message, configuration }: SendMessageParams,
): Promise<AsyncIterable<unknown>> {
  const tailored = tailor(configuration?.acceptedOutputModes);
  if (message.taskId === undefined) return await streamed(conversation, message, tailored);
  const view = await followUp(conversation, message, message.taskId);
  return await heldStream(conversation, 'wait', updatesFrom(view, conversation, tailored));
}

/** From now on. A task that waits for connections may go on by itself (§7.6). */
export async function subscribeToTask(
  conversation: Conversation,
  id: string,
): Promise<AsyncIterable<unknown>> {
  const view = await ownTask(conversation, id);
  if (isFinal(view.status)) throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The task is over.');
  return await heldStream(conversation, 'follow', updatesFrom(view, conversation, tailor(), isStuck));
}

/** A task that this process carries out. */
async function streamed(
  conversation: Conversation,
  message: IncomingMessage,
  tailored: Tailor,
): Promise<AsyncIterable<unknown>> {
  const started = await startInline(startOf(conversation, message));
  const { run } = started;
  const isEnded = { now: false };
  const events = follow(async (onEvent) => {
    const { status } = await finishInline(started, onEvent);
    isEnded.now = status === 'completed' || status === 'failed';
  });
  return stream();

  async function* stream() {
    yield taskResponse(viewRun(run, []), tailored);
    const updates = updatesFor(run, [], tailored);
    let last: StoredEvent | undefined;
    for await (const event of events) {
      last = event;
      yield* updates(event);
    }
    if (last && isFinal(last.status)) return;
    if (isEnded.now) throw new Error('The end of the run could not be recorded.');
    // What this process did not write: a cancel, and what the worker does after the flow has rested.
    if (last && isPaused(last.status)) return;
    for await (const event of eventsAfter(run, last?.generation ?? 0, conversation)) yield* updates(event);
  }
}

/** A task that somebody else may carry out. */
async function* updatesFrom(
  view: RunView,
  conversation: Conversation,
  tailored: Tailor,
  isEnd = isAtRest,
): AsyncGenerator<unknown> {
  yield taskResponse(view, tailored);
  if (isEnd(view.status)) return;
  const updates = updatesFor(view.run, view.replies, tailored);
  for await (const event of eventsAfter(view.run, view.run.generation, conversation, isEnd))
    yield* updates(event);
}

const taskResponse = (view: RunView, tailored: Tailor): unknown =>
  StreamResponse.toJSON({ payload: { $case: 'task', value: tailored.task(shownTask(view)) } });

function updatesFor(run: StoredRun, known: readonly StoredReply[], tailored: Tailor) {
  const updates = createUpdates(run, known);
  return (event: StoredEvent) =>
    updates(event).map((update) => StreamResponse.toJSON(tailored.update(update)));
}
