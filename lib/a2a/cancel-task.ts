// `CancelTask`. Canceling twice answers the canceled task; a task that ended otherwise cannot be canceled.
import { Task } from '@a2a-js/sdk';
import { endRun } from '#lib/run/end.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { type Conversation, currentTask, ownTask, shownTask } from './own-task.ts';

export async function cancelTask(conversation: Conversation, id: string): Promise<unknown> {
  const before = await ownTask(conversation, id);
  const status = isFinal(before.status)
    ? before.status
    : await endRun(before.run, { status: 'canceled' }, before.events);
  if (status !== 'canceled') throw new A2ARefusal('TASK_NOT_CANCELABLE');
  return Task.toJSON(shownTask(await currentTask(id)));
}
