// The methods of A2A v1.0, by their names in JSON-RPC. The bindings translate their parameters, results and errors.
import type * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { truncate } from '#lib/truncate.ts';
import { A2ARefusal } from './errors.ts';
import { requireExtensions } from './extensions.ts';
import { type CallContext, cancelTask, getTask } from './own-task.ts';
import {
  cancelTaskParams,
  createPushConfigParams,
  extendedCardParams,
  getTaskParams,
  listPushConfigsParams,
  listTasksParams,
  pushConfigParams,
  type SendMessageParams,
  sendMessageParams,
  subscribeToTaskParams,
} from './params.ts';
import { parseParams } from './request.ts';
import { sendMessage } from './send-message.ts';
import { sendStreamingMessage, subscribeToTask } from './stream-task.ts';

/** The result of a method: there at once, to wait for, or a stream of results. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly later: AsyncIterable<unknown> }
  | { readonly stream: AsyncIterable<unknown> };
type Method = (context: CallContext, params: unknown) => Promise<Outcome>;

const method =
  <S extends z.ZodType>(
    schema: S,
    call: (context: CallContext, params: z.output<S>) => Promise<Outcome>,
  ): Method =>
  async (context, params) =>
    await call(context, parseParams(schema, params));

/** A method for push notification configurations, which the card of the agent must declare (A2A v1.0.1 §3.3.4). */
const pushMethod = <S extends z.ZodType>(
  schema: S,
  call: (context: CallContext, params: z.output<S>) => Promise<unknown>,
): Method => {
  const parsed = method(schema, async (context, params) => ({ result: await call(context, params) }));
  return async (context, params) => {
    await requirePushNotifications(context.row);
    return await parsed(context, params);
  };
};

/** What most clients never call is loaded with its first call, which keeps it out of cold starts. */
const methods = new Map<string, Method>([
  [
    'SendMessage',
    method(sendMessageParams, async (context, params) => {
      await requireSupported(context.row, params);
      return { later: await sendMessage(context, params) };
    }),
  ],
  [
    'SendStreamingMessage',
    method(sendMessageParams, async (context, params) => {
      await requireSupported(context.row, params);
      return { stream: await sendStreamingMessage(context, params) };
    }),
  ],
  [
    'GetTask',
    method(getTaskParams, async (context, { id, historyLength }) => ({
      result: await getTask(context, id, historyLength),
    })),
  ],
  [
    'ListTasks',
    method(listTasksParams, async (context, params) => {
      const { listTasks } = await import('./list-tasks.ts');
      return { result: await listTasks(context, params) };
    }),
  ],
  [
    'SubscribeToTask',
    method(subscribeToTaskParams, async (context, { id, historyLength }) => ({
      stream: await subscribeToTask(context, id, historyLength),
    })),
  ],
  [
    'CancelTask',
    method(cancelTaskParams, async (context, { id }) => ({
      result: await cancelTask(context, id),
    })),
  ],
  [
    'CreateTaskPushNotificationConfig',
    pushMethod(createPushConfigParams, async (context, params) => {
      const { createPushConfig } = await import('./push-config.ts');
      return await createPushConfig(context, params);
    }),
  ],
  [
    'GetTaskPushNotificationConfig',
    pushMethod(pushConfigParams, async (context, params) => {
      const { getPushConfig } = await import('./push-config.ts');
      return await getPushConfig(context, params);
    }),
  ],
  [
    'ListTaskPushNotificationConfigs',
    pushMethod(listPushConfigsParams, async (context, params) => {
      const { listPushConfigs } = await import('./push-config.ts');
      return await listPushConfigs(context, params);
    }),
  ],
  [
    'DeleteTaskPushNotificationConfig',
    pushMethod(pushConfigParams, async (context, params) => {
      const { deletePushConfig } = await import('./push-config.ts');
      return await deletePushConfig(context, params);
    }),
  ],
  [
    'GetExtendedAgentCard',
    method(extendedCardParams, async (context) => {
      const { getExtendedCard } = await import('./agent-card.ts');
      return { result: await getExtendedCard(context) };
    }),
  ],
]);

async function requireSupported(
  row: StoredRow,
  { message, configuration }: SendMessageParams,
): Promise<void> {
  if (configuration?.taskPushNotificationConfig) await requirePushNotifications(row);
  const files = message.parts.filter((part) => part.raw !== undefined || part.url !== undefined);
  if (files.length === 0) return;
  const { requireAcceptedFiles } = await import('./agent-card.ts');
  requireAcceptedFiles(row, files);
}

async function requirePushNotifications(row: StoredRow): Promise<void> {
  const { requireDeclaredPush } = await import('./agent-card.ts');
  requireDeclaredPush(row);
}

/** Throws an `A2ARefusal`, or an error that is not part of the protocol, such as a table that does not respond. */
export async function callMethod(context: CallContext, name: string, params: unknown): Promise<Outcome> {
  try {
    const call = findMethod(name);
    // The extended card says which extensions the agent requires.
    if (name !== 'GetExtendedAgentCard') requireExtensions(context.extensions);
    return await call(context, params);
  } catch (error) {
    if (error instanceof A2ARefusal || error instanceof ServiceError || isTransientFailure(error))
      throw error;
    throw new ServiceError('internal', { cause: error });
  }
}

function findMethod(name: string): Method {
  const known = methods.get(name);
  if (known) return known;
  throw new A2ARefusal('METHOD_NOT_FOUND', `There is no method ${truncate(name, 64)}.`);
}
