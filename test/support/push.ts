// Push notifications of tasks: configurations, what receivers got, and the passing of time.
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { handler as deliverHandler } from '#functions/callback/deliver.ts';
import { viewTaskWithoutLinks } from '#lib/a2a/own-task.ts';
import { listPushUpdates } from '#lib/a2a/push-updates.ts';
import { configKey } from '#lib/delivery/push-config.ts';
import { readConfigs } from '#lib/delivery/push-config-items.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { updateItemIf } from '#lib/dynamo/items.ts';
import { requireEnv } from '#lib/env.ts';
import { readRun } from '#lib/run/run-items.ts';
import { rpc } from './a2a.ts';
import { startAwsProxy, type Verdict } from './aws-proxy.ts';
import { unique } from './caller.ts';
import { flushDelayedDeliveries, idle } from './control.ts';
import { context } from './invocation.ts';
import type { ReceivedPush } from './receiver.ts';
import { batch } from './runs.ts';

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
    await flushDelayedDeliveries();
  }
  throw new Error('The push notifications are neither delivered nor given up.');
}

/** A delivery queue of its own for what this process sends; nobody reads it but the test. */
export async function captureDeliveries() {
  const before = requireEnv('DELIVERY_QUEUE_URL');
  const { QueueUrl = '' } = await new SQSClient().send(
    new CreateQueueCommand({ QueueName: unique('queue') }),
  );
  const { origin, pathname } = new URL(before.replace(/[^/]+$/, QueueUrl.split('/').at(-1) ?? ''));
  const bodies: string[] = [];
  let wakesToLose = 0;
  const judge = (operation: string, request: Buffer): Verdict => {
    if (operation !== 'SendMessage') return 'pass';
    const { MessageBody } = sentMessage.parse(JSON.parse(request.toString()));
    if (wakesToLose > 0 && !MessageBody.includes('config_id')) {
      wakesToLose -= 1;
      return { status: 400, error: { __type: 'ValidationException', message: 'Lost.' } };
    }
    bodies.push(MessageBody);
    return 'pass';
  };
  const proxy = await startAwsProxy(origin, judge);
  process.env.DELIVERY_QUEUE_URL = `${proxy.url}${pathname}`;
  return {
    bodies,
    /** As if the process that has stored an event died before it sent its message. */
    loseNextWake: () => {
      wakesToLose += 1;
    },
    close: async () => {
      process.env.DELIVERY_QUEUE_URL = before;
      await proxy.close();
    },
  };
}

const sentMessage = z.object({ MessageBody: z.string() });

/** Handles a message of the delivery queue in this process, as if its time had come. True when it comes again. */
export async function handleDelivery(body: string): Promise<boolean> {
  const due = JSON.stringify({ ...JSON.parse(body), wait_seconds: 0 });
  const answer = await deliverHandler(sqsEvent.parse(batch([due])), here);
  return answer.batchItemFailures.length > 0;
}

const sqsEvent = z.custom<SQSEvent>();
const here = z.custom<Context>().parse(context);

/** As if the clock had passed the time that a delivery may take. */
export async function expireClaims(taskId: string): Promise<void> {
  for (const { config_id } of await readConfigs(taskId))
    await updateItemIf(runsTable, configKey(taskId, config_id), {
      UpdateExpression: 'SET busy_until = :past',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':past': 0 },
    });
}

/** What a receiver has accepted, without repetitions: the positions of updates, in order. */
export function acceptedPositions(received: readonly ReceivedPush[]): string[] {
  const accepted = received.filter(({ status }) => status < 300);
  return [...new Set(accepted.map(({ headers }) => String(headers['webhook-id']).replace(/^[^.]+\./, '')))];
}

/** The positions of all updates that a configuration is to receive, in order. */
export async function expectedPositions(taskId: string, generation: number): Promise<string[]> {
  const run = await readRun(taskId);
  if (!run) throw new Error('There is no such run.');
  const updates = listPushUpdates(await viewTaskWithoutLinks(run), generation, { generation, updates: 0 });
  return updates.map(({ cursor }) => `${cursor.generation}.${cursor.updates}`);
}
