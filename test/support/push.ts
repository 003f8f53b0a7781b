// Push notifications of tasks: configurations, what receivers got, and the passing of time.
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import * as z from 'zod';
import { readConfigs } from '#lib/delivery/push-config-items.ts';
import { rpc } from './a2a.ts';
import { flushDelayedMessages, idle } from './control.ts';
import type { ReceivedPush } from './receiver.ts';

/** In short: what it is, the state, and the text that it has. */
function shorten({ payload }: StreamResponse): string {
  if (payload?.$case === 'artifactUpdate') return `artifact ${payload.value.artifact?.artifactId}`;
  if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') return payload?.$case ?? 'nothing';
  const { status } = payload.value;
  const state = TaskState[status?.state ?? 0]?.replace('TASK_STATE_', '');
  const texts = status?.message?.parts.flatMap(({ content }) =>
    content?.$case === 'text' ? content.value : [],
  );
  return [payload.$case === 'task' ? 'task' : 'status', state, ...(texts ?? [])].join(' ');
}

export const shortenReceived = (received: readonly ReceivedPush[]): string[] =>
  received.map(({ response }) => shorten(response));

const created = z.looseObject({ id: z.string(), taskId: z.string(), url: z.string() });

export async function createConfig(url: string, key: string, params: object) {
  const { result, error } = await rpc(url, key, 'CreateTaskPushNotificationConfig', params);
  if (error) throw new Error(JSON.stringify(error));
  return created.parse(result);
}

/** More than the schedule has turns: ten hours and a fifth are fifty delays of a quarter of an hour. */
const turnsMax = 250;

/** As if time passed, until nothing is left to deliver to any receiver of the task. */
export async function delivered(taskId: string) {
  await idle();
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const configs = await readConfigs(taskId);
    if (configs.every(({ state }) => state !== 'waiting')) return configs;
    await flushDelayedMessages();
  }
  throw new Error('The push notifications are neither delivered nor given up.');
}
