// The push notification configurations of a task (A2A v1.0.1 §3.1.7 to §3.1.10): create, get, list and delete, and
// those that a message brings along. Answers have no token and no credentials: who has set them knows them.

import {
  decryptTarget,
  encryptTarget,
  type RunScope,
  type StoredPushConfig,
} from '#lib/delivery/push-config.ts';
import {
  configsMax,
  deleteConfig,
  putConfig,
  putFirstConfig,
  readConfig,
  readConfigs,
} from '#lib/delivery/push-config-items.ts';
import { checkStoredTarget } from '#lib/egress/check-target.ts';
import { EgressError } from '#lib/egress/egress-error.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { optionalEnv } from '#lib/env.ts';
import { deriveRunId, newRunId } from '#lib/ids.ts';
import { enqueuePushCheck, wakeConfig } from '#lib/run/push-queue.ts';
import { isFinal, keepUntil, type StoredRun } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { type CallContext, findOwnRun } from './own-task.ts';
import type { PushConfigParams, SendMessageParams } from './params.ts';

/** `TaskPushNotificationConfig`. */
interface WireConfig {
  readonly taskId: string;
  readonly id: string;
  readonly url: string;
  readonly authentication?: { readonly scheme: string };
}

type TaskConfig = PushConfigParams & { readonly taskId: string };

/** `CreateTaskPushNotificationConfig`. A configuration with the same id is replaced. */
export async function createPushConfig(
  context: CallContext,
  { taskId, ...params }: TaskConfig,
): Promise<WireConfig> {
  await requirePublic(params.url, '/params');
  const run = await findOwnRun(context, taskId);
  const named = { ...params, id: params.id ?? newRunId() };
  const config = await storeForTask(run, { ...named, version: context.version }, '/params');
  return await toWireConfig(run, config);
}

/** `GetTaskPushNotificationConfig`. */
export async function getPushConfig(
  context: CallContext,
  { taskId, id }: { readonly taskId: string; readonly id: string },
): Promise<WireConfig> {
  const run = await findOwnRun(context, taskId);
  const config = await readConfig(run.run_id, id);
  if (config) return await toWireConfig(run, config);
  throw new A2ARefusal('TASK_NOT_FOUND', 'The task has no such push notification configuration.');
}

interface ListQuery {
  readonly taskId: string;
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

const pageSizeDefault = 50;

/** `ListTaskPushNotificationConfigs`. A page token is the id of the last configuration on its page. */
export async function listPushConfigs(
  context: CallContext,
  { taskId, pageSize, pageToken = '' }: ListQuery,
): Promise<{ configs: WireConfig[]; nextPageToken: string }> {
  const run = await findOwnRun(context, taskId);
  const after = readPageToken(pageToken);
  const all = await readConfigs(run.run_id);
  const left = all.filter(({ config_id }) => Buffer.compare(Buffer.from(config_id), after) > 0);
  const page = left.slice(0, pageSize || pageSizeDefault);
  const last = left.length > page.length ? page.at(-1) : undefined;
  return {
    configs: await Promise.all(page.map(async (config) => await toWireConfig(run, config))),
    nextPageToken: last ? Buffer.from(last.config_id).toString('base64url') : '',
  };
}

/** Keys sort by their UTF-8 bytes in DynamoDB. */
function readPageToken(token: string): Buffer {
  const id = Buffer.from(token, 'base64url');
  if (id.toString('base64url') === token) return id;
  throw new A2ARefusal('INVALID_PARAMS', undefined, [
    { pointer: '/params/pageToken', detail: 'must be the nextPageToken of the page before' },
  ]);
}

/** `DeleteTaskPushNotificationConfig`. Deleting what is not there succeeds. */
export async function deletePushConfig(
  context: CallContext,
  { taskId, id }: { readonly taskId: string; readonly id: string },
): Promise<null> {
  const run = await findOwnRun(context, taskId);
  if (run.push_configs !== undefined) await deleteConfig(run.run_id, id);
  return null;
}

const pointerInMessage = '/params/configuration/taskPushNotificationConfig';

/**
 * Stores the configuration of a message that starts a task, before the task: no update can be missed. Returns
 * how many configurations the task has. Nothing happens for a message without one.
 */
export async function storeForNewTask(
  run: RunScope,
  { version }: CallContext,
  { configuration }: SendMessageParams,
): Promise<number | undefined> {
  const params = configuration?.taskPushNotificationConfig;
  if (params === undefined) return undefined;
  requireTask(params, undefined);
  await requirePublic(params.url, pointerInMessage);
  const config = await newStoredConfig(run, { ...params, id: params.id ?? newRunId(), version }, 0);
  await enqueuePushCheck(run, config);
  await putFirstConfig({ ...run, ttl: keepUntil(Date.now()) }, config);
  return 1;
}

/**
 * Stores the configuration of a message to a task, before the message has its effect. Its id is that of the
 * message, if it has none: a message that is sent again does not add a second one.
 */
export async function storeForMessage(
  context: CallContext,
  taskId: string,
  { message, configuration }: SendMessageParams,
): Promise<void> {
  const params = configuration?.taskPushNotificationConfig;
  if (params === undefined) return;
  requireTask(params, taskId);
  await requirePublic(params.url, pointerInMessage);
  const run = await findOwnRun(context, taskId);
  const id = params.id ?? deriveRunId(`${taskId}/${message.messageId}`);
  if (isFinal(run.status)) return;
  await storeForTask(run, { ...params, id, version: context.version }, pointerInMessage);
}

function requireTask(params: { readonly taskId?: string | undefined }, taskId: string | undefined): void {
  if (params.taskId === undefined || params.taskId === taskId) return;
  throw new A2ARefusal('INVALID_PARAMS', undefined, [
    { pointer: `${pointerInMessage}/taskId`, detail: 'must be left out, or be the task of the message' },
  ]);
}

type Identified = Omit<PushConfigParams, 'id'> & {
  readonly id: string;
  readonly version?: CallContext['version'] | undefined;
};

/**
 * The first notification is the task as it is now, also one that has ended; the updates follow. A check is
 * queued first, and the message that delivers now may be lost.
 */
async function storeForTask(run: StoredRun, params: Identified, pointer: string): Promise<StoredPushConfig> {
  const config = await newStoredConfig(run, params, run.generation);
  await enqueuePushCheck(run, config);
  if (!(await putConfig(run, config)))
    throw new A2ARefusal('INVALID_PARAMS', undefined, [
      {
        pointer,
        detail: `must not be added: the task has ${configsMax} push notification configurations, the maximum; delete one of them first`,
      },
    ]);
  await wakeConfig(run, config.config_id);
  return config;
}

/** A configuration that waits, as it is stored. Its receiver is not checked here. */
export async function newStoredConfig(
  run: RunScope,
  { id, url, token, authentication, version }: Identified,
  generation: number,
): Promise<StoredPushConfig> {
  return {
    config_id: id,
    version: newRunId(),
    created_at: new Date().toISOString(),
    ...(version && { protocol_version: version }),
    target: await encryptTarget(run, id, { url, token, authentication }),
    first_generation: generation,
    cursor: { generation, updates: 0 },
    state: 'waiting',
    delivered: 0,
    attempts: [],
    busy_until: 0,
  };
}

/** The guarded fetch checks again when it connects: a name may lead elsewhere by then. */
async function requirePublic(url: string, pointer: string): Promise<void> {
  try {
    await checkStoredTarget(url, parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const detail = 'must be an https URL of a host on the public internet';
    throw new A2ARefusal('INVALID_PARAMS', undefined, [{ pointer: `${pointer}/url`, detail }]);
  }
}

async function toWireConfig(run: StoredRun, config: StoredPushConfig): Promise<WireConfig> {
  const { url, authentication } = await decryptTarget(run, config);
  return {
    taskId: run.run_id,
    id: config.config_id,
    url,
    ...(authentication && { authentication: { scheme: authentication.scheme } }),
  };
}
