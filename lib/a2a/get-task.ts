// `GetTask`: a task as it is now.
import { Task } from '@a2a-js/sdk';
import { type Conversation, ownTask, shownTask } from './own-task.ts';

export async function getTask(
  conversation: Conversation,
  id: string,
  historyLength?: number,
): Promise<unknown> {
  return Task.toJSON(shownTask(await ownTask(conversation, id), historyLength));
}
