// `@a2a-js/sdk` 0.3, which speaks JSON-RPC of A2A 0.3. Its messages are translated to the names of 1.0.
import type { MessageSendParams } from 'a2a-js-sdk-0.3';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from 'a2a-js-sdk-0.3/client';
import * as z from 'zod';
import { fetchWithKey } from '#test/support/official-client.ts';
import type { Address, TestedClient } from './client.ts';
import { type Outgoing, type WireEvent, type WirePart, wireEvent, wireTask } from './wire.ts';

export async function connectClient03({ url, hostedUrl, key }: Address): Promise<TestedClient> {
  const fetchImpl = fetchWithKey(key);
  const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(`${url}v0.3/`);
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] });
  const client = await factory.createFromAgentCard({ ...card, url: card.url.replace(hostedUrl, url) });
  return {
    card: { name: card.name, skills: card.skills.map(({ id }) => id), urls: [card.url] },
    send: async (message) => toEvent(await client.sendMessage(toParams(message))),
    stream: async function* (message) {
      for await (const event of client.sendMessageStream(toParams(message))) yield toEvent(event);
    },
    get: async (id, historyLength) =>
      toTask(await client.getTask({ id, ...(historyLength !== undefined && { historyLength }) })),
    cancel: async (id) => toTask(await client.cancelTask({ id })),
    subscribe: async function* (id) {
      for await (const event of client.resubscribeTask({ id })) yield toEvent(event);
    },
    extendedCard: async () => {
      const { name, capabilities } = await client.getAgentCard();
      return { name, extensions: (capabilities.extensions ?? []).map(({ uri }) => uri) };
    },
    push: pushCallsOf(client),
    readNotification: toEvent,
    readReason,
  };
}

const refused = z.object({ errorResponse: z.object({ error: z.object({ code: z.number() }) }) });
const reasons = new Map([
  [-32001, 'TASK_NOT_FOUND'],
  [-32002, 'TASK_NOT_CANCELABLE'],
  [-32004, 'UNSUPPORTED_OPERATION'],
]);

/** The error of a stream is the cause of another. */
function readReason(error: unknown): string {
  const { data } = refused.safeParse(error);
  if (data) return reasons.get(data.errorResponse.error.code) ?? 'unknown';
  return error instanceof Error && error.cause !== undefined ? readReason(error.cause) : String(error);
}

const pushCallsOf = (client: Client): TestedClient['push'] => ({
  create: async (taskId, pushNotificationConfig) => {
    const config = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
    return config.pushNotificationConfig.id ?? '';
  },
  get: async (taskId, id) => {
    const params = { id: taskId, pushNotificationConfigId: id };
    return (await client.getTaskPushNotificationConfig(params)).pushNotificationConfig;
  },
  list: async (taskId) =>
    (await client.listTaskPushNotificationConfig({ id: taskId })).map(
      ({ pushNotificationConfig }) => pushNotificationConfig.id ?? '',
    ),
  delete: async (taskId, id) =>
    await client.deleteTaskPushNotificationConfig({ id: taskId, pushNotificationConfigId: id }),
});

function toParams({ parts, returnImmediately, push, ...message }: Outgoing): MessageSendParams {
  return {
    message: {
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'user',
      parts: parts.map(toLegacyPart),
      ...message,
    },
    configuration: { blocking: returnImmediately !== true, ...(push && { pushNotificationConfig: push }) },
  };
}

function toLegacyPart({
  text,
  raw,
  mediaType,
  filename,
}: WirePart): MessageSendParams['message']['parts'][number] {
  if (text !== undefined) return { kind: 'text', text };
  const named = { ...(mediaType && { mimeType: mediaType }), ...(filename && { name: filename }) };
  return { kind: 'file', file: { bytes: raw ?? '', ...named } };
}

const members = {
  task: 'task',
  message: 'message',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
};
const kinds = z.looseObject({ kind: z.enum(['task', 'message', 'status-update', 'artifact-update']) });

/** The JSON of 0.3 names what it is in `kind`, that of 1.0 by the member that it is in. */
const toEvent = (event: unknown): WireEvent =>
  wireEvent.parse({ [members[kinds.parse(event).kind]]: rename(event) });
const toTask = (task: unknown) => wireTask.parse(rename(task));

const fileOf03 = z.looseObject({
  file: z.looseObject({
    bytes: z.string().optional(),
    uri: z.string().optional(),
    mimeType: z.string().optional(),
    name: z.string().optional(),
  }),
});

function rename(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rename);
  if (typeof value !== 'object' || value === null) return value;
  if ('kind' in value && value.kind === 'data' && 'data' in value) return { data: value.data };
  if ('kind' in value && value.kind === 'file') {
    const { bytes, uri, mimeType, name } = fileOf03.parse(value).file;
    return { raw: bytes, url: uri, mediaType: mimeType, filename: name };
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renameMember(name, member)]),
  );
}

const renameMember = (name: string, member: unknown): unknown =>
  name === 'state' && typeof member === 'string'
    ? `TASK_STATE_${member.replace('-', '_').toUpperCase()}`
    : rename(member);
