// `SendMessage`: returns one result when it is complete.
import { Message, Task } from '@a2a-js/sdk';
import { heldStream } from '#lib/run/held-stream.ts';
import { finishInline, startUnlessStarted } from '#lib/run/run-inline.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import { withLinkedFiles } from './file-links.ts';
import { toIncomingMessage } from './message-input.ts';
import { toAnswerMessage } from './messages.ts';
import { createOutputFilter } from './output-modes.ts';
import { type CallContext, describeTask, findOwnTask, readTask } from './own-task.ts';
import type { SendMessageParams } from './params.ts';
import { findStartedTask, prepareStart } from './start-task.ts';
import { isSettled, waitUntilSettled } from './task-events.ts';

/**
 * Yields the task when it ends or is paused, or as it starts with `returnImmediately`; or a message, if the
 * flow ends with one. Errors that prevent the start are thrown before that.
 */
export async function sendMessage(
  context: CallContext,
  params: SendMessageParams,
): Promise<AsyncIterable<unknown>> {
  const { message, configuration = {} } = params;
  const { returnImmediately, historyLength, acceptedOutputModes } = configuration;
  const filter = createOutputFilter(acceptedOutputModes);
  const { modes } = filter;
  const toResult = (view: RunView, incoming?: Message) => ({
    task: Task.toJSON(filter.task(describeTask(view, { historyLength, modes }, incoming))),
  });
  const yieldSettled = async ({ run, status }: RunView) => {
    const current = async () => toResult(await readTask(context, run.run_id));
    if (returnImmediately || isSettled(status)) return yieldResult(current);
    const settled = yieldResult(async () => {
      await waitUntilSettled(run, context);
      return await current();
    });
    return await heldStream(context, 'wait', settled);
  };
  if (message.taskId !== undefined) {
    const { followUp } = await import('./follow-up.ts');
    return await yieldSettled(await followUp(context, params, message.taskId));
  }
  const known = await findStartedTask(context, params);
  if (known) return await yieldSettled(known);
  const start = await prepareStart(context, params);
  if (returnImmediately) {
    // Loaded here, because it imports the SQS client, which other messages do not need.
    const { startQueued } = await import('#lib/run/start.ts');
    const queued = viewRun(await startQueued(start), []);
    return yieldResult(async () => toResult(queued));
  }
  const started = await startUnlessStarted(start);
  if (!started) return await yieldSettled(await findOwnTask(context, start.runId));
  return yieldResult(async () => {
    const { view: ended } = await finishInline(started);
    const view = ended ? await withLinkedFiles(ended) : await readTask(context, started.run.run_id);
    if (view.as !== 'message') return toResult(view, toIncomingMessage(message, view.run));
    return { message: Message.toJSON(filter.message(toAnswerMessage(view, modes))) };
  });
}

async function* yieldResult<T>(result: () => Promise<T>): AsyncGenerator<T> {
  yield await result();
}
