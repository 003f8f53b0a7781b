// `SendMessage`: one result, when it is there.
import { Message, Task } from '@a2a-js/sdk';
import { heldStream } from '#lib/limits/held-stream.ts';
import { finishInline, startInline } from '#lib/run/run-inline.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import { followUp } from './follow-up.ts';
import { tailor } from './output-modes.ts';
import { type Conversation, currentTask, shownTask } from './own-task.ts';
import type { SendMessageParams } from './params.ts';
import { isAtRest, untilAtRest } from './rest.ts';
import { startOf } from './start-task.ts';
import { answerMessage } from './task.ts';

/**
 * The task at its end or where it waits for somebody, or as it starts when `returnImmediately`; or the message that the flow ends as. What
 * keeps it from starting is thrown before that.
 */
export async function sendMessage(
  conversation: Conversation,
  { message, configuration = {} }: SendMessageParams,
): Promise<AsyncIterable<unknown>> {
  const { returnImmediately, historyLength, acceptedOutputModes } = configuration;
  const tailored = tailor(acceptedOutputModes);
  const taskIn = (view: RunView) => ({ task: Task.toJSON(tailored.task(shownTask(view, historyLength))) });
  if (message.taskId !== undefined) {
    const { run, status } = await followUp(conversation, message, message.taskId);
    const now = async () => taskIn(await currentTask(run.run_id));
    if (returnImmediately || isAtRest(status)) return once(now);
    const rested = once(async () => {
      await untilAtRest(run, conversation);
      return await now();
    });
    return await heldStream(conversation, 'wait', rested);
  }
  const start = startOf(conversation, message);
  if (returnImmediately) {
    // Loaded when it is wanted, with the client of SQS, which no other message has a use for.
    const { startQueued } = await import('#lib/run/start.ts');
    const queued = viewRun(await startQueued(start), []);
    return once(async () => taskIn(queued));
  }
  const started = await startInline(start);
  return once(async () => {
    await finishInline(started);
    const view = await currentTask(started.run.run_id);
    if (view.as !== 'message') return taskIn(view);
    return { message: Message.toJSON(tailored.message(answerMessage(view))) };
  });
}

async function* once<T>(result: () => Promise<T>): AsyncGenerator<T> {
  yield await result();
}
