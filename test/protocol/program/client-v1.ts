// `@a2a-js/sdk` 1.x, over either of its bindings.
import {
  AgentCard,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import * as z from 'zod';
import {
  type BindingName,
  cardVerifier,
  clientFactory,
  fetchWithKey,
} from '#test/support/official-client.ts';
import type { Address, TestedClient } from './client.ts';
import { type Outgoing, type WireEvent, wireEvent, wireTask } from './wire.ts';

export async function connectClient10(address: Address, binding: BindingName): Promise<TestedClient> {
  const { url, key, jwksUrl } = address;
  const card = await new DefaultAgentCardResolver({ fetchImpl: fetchWithKey(key) }).resolve(url);
  const client = await clientFactory(key, binding).createFromAgentCard(atAddress(card, address));
  return {
    card: describeCard(card, binding),
    ...callsOf(client),
    push: pushCallsOf(client),
    verifySignature: async () => {
      await client.getAgentCard(undefined, cardVerifier(jwksUrl));
      await cardVerifier(jwksUrl)(servedCard.parse(await (await fetchWithKey(key)(cardUrl(url))).json()));
    },
    extendedCard: async () => {
      const { name, capabilities } = await client.getAgentCard();
      return { name, extensions: (capabilities?.extensions ?? []).map(({ uri }) => uri) };
    },
    readNotification: (body) => toEvent(StreamResponse.fromJSON(body)),
    readReason: (error) => withReason.parse(error).reason,
  };
}

const cardUrl = (url: string) => `${url}.well-known/agent-card.json`;

/** The verifier of the SDK takes the card as it is served, whatever its type says. */
const servedCard = z.custom<AgentCard>((value) => typeof value === 'object');
const withReason = z.object({ reason: z.string() });

/** A card names the hosted URL. The agent URL of the same build is called only by clients that know it. */
const atAddress = (card: AgentCard, { url, hostedUrl }: Address): AgentCard =>
  AgentCard.fromJSON(
    JSON.parse(JSON.stringify(AgentCard.toJSON(card)).replaceAll(`"${hostedUrl}`, `"${url}`)),
  );

const describeCard = ({ name, skills, supportedInterfaces }: AgentCard, binding: BindingName) => ({
  name,
  skills: skills.map(({ id }) => id),
  urls: supportedInterfaces
    .filter((each) => each.protocolBinding === binding && each.protocolVersion === '1.0')
    .map(({ url }) => url),
});

function callsOf(client: Client) {
  return {
    send: async (message: Outgoing) => {
      const result = await client.sendMessage(toRequest(message));
      return wireEvent.parse(
        'status' in result ? { task: Task.toJSON(result) } : { message: Message.toJSON(result) },
      );
    },
    stream: async function* (message: Outgoing) {
      for await (const event of client.sendMessageStream(toRequest(message))) yield toEvent(event);
    },
    get: async (id: string, historyLength?: number) =>
      toWireTask(await client.getTask(GetTaskRequest.fromJSON({ id, historyLength }))),
    cancel: async (id: string) => toWireTask(await client.cancelTask({ id, metadata: {}, tenant: '' })),
    subscribe: async function* (id: string) {
      for await (const event of client.resubscribeTask({ id, tenant: '' })) yield toEvent(event);
    },
    list: async (query: object) =>
      listed.parse(ListTasksResponse.toJSON(await client.listTasks(ListTasksRequest.fromJSON(query)))),
  };
}

const listed = z.looseObject({
  tasks: z.array(wireTask).default([]),
  nextPageToken: z.string().default(''),
  totalSize: z.number().default(0),
});

const pushCallsOf = (client: Client): TestedClient['push'] => ({
  create: async (taskId, target) => {
    const config = { tenant: '', taskId, authentication: undefined, ...target };
    return (await client.createTaskPushNotificationConfig(config)).id;
  },
  get: async (taskId, id) => await client.getTaskPushNotificationConfig({ tenant: '', taskId, id }),
  list: async (taskId) => {
    const page = { tenant: '', taskId, pageSize: 10, pageToken: '' };
    return (await client.listTaskPushNotificationConfig(page)).configs.map(({ id }) => id);
  },
  delete: async (taskId, id) => await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id }),
});

const toRequest = ({ returnImmediately, push, ...message }: Outgoing) =>
  SendMessageRequest.fromJSON({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', ...message },
    configuration: { returnImmediately, taskPushNotificationConfig: push },
  });

const toEvent = (event: StreamResponse): WireEvent => wireEvent.parse(StreamResponse.toJSON(event));
const toWireTask = (task: Task) => wireTask.parse(Task.toJSON(task));
