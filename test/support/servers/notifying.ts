// Agents by the official SDK's server whose tasks work until `/finish/{id}/{state}` is called, and which notify of that
// as others' agents do: at `/agent` with A2A 1.0, at `/old` with 0.3. `/refusing` refuses configurations although its
// card offers them, `/silent` accepts them and sends nothing, and `/ending` ends the task before it accepts one.
// `/tasks` lists the tasks, `/requests` what was sent.
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { AgentCard, Message, type StreamResponse, Task, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  createLegacyAwarePushNotificationSender,
  LegacyJsonRpcTransportHandler,
} from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultExecutionEventBusManager,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type PushNotificationSender,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import * as z from 'zod';

const tasks: string[] = [];
const requests: unknown[] = [];
const ends = new Map<string, (state: string) => void>();

/** A task that is answered works again. */
const executor: AgentExecutor = {
  execute: async ({ taskId: id, contextId }, bus) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.set(id, resolve);
    if (!tasks.includes(id)) tasks.push(id);
    const working = { state: 'TASK_STATE_WORKING' };
    bus.publish(AgentEvent.task(Task.fromJSON({ id, contextId, status: working })));
    const state = await promise;
    const said = { messageId: crypto.randomUUID(), role: 'ROLE_AGENT', parts: [{ text: `It is ${state}.` }] };
    const status = { state: `TASK_STATE_${state}`, message: Message.toJSON(Message.fromJSON(said)) };
    bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId: id, contextId, status })));
    bus.finished();
  },
  cancelTask: async (_taskId, bus) => bus.finished(),
};

const root = () => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
};
const described = {
  name: 'Notifying agent',
  description: 'Works until it may end.',
  version: '1.0.0',
  capabilities: { streaming: false, pushNotifications: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};
const cardAt = (path: string) =>
  path === '/old'
    ? { ...described, protocolVersion: '0.3.0', url: `${root()}/old`, preferredTransport: 'JSONRPC' }
    : {
        ...described,
        supportedInterfaces: [
          { url: `${root()}${path}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      };

const nobody: PushNotificationSender = { send: async (_response: StreamResponse) => {} };

function createHandler(createSender: (store: InMemoryPushNotificationStore) => PushNotificationSender) {
  const card = AgentCard.fromJSON({ ...described, supportedInterfaces: [] });
  const store = new InMemoryPushNotificationStore();
  const buses = new DefaultExecutionEventBusManager();
  return new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    executor,
    buses,
    store,
    createSender(store),
  );
}

const current = createHandler((store) => new DefaultPushNotificationSender(store));
const old = createHandler((store) => createLegacyAwarePushNotificationSender(store));
const silent = createHandler(() => nobody);

const envelope = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.looseObject({ taskId: z.string().optional() }).optional(),
});

/** Resolves once the end of the task is stored. */
async function end(id: string): Promise<void> {
  ends.get(id)?.('COMPLETED');
  await setImmediate();
}

async function callAgent(path: string, body: string): Promise<unknown> {
  const request = envelope.parse(JSON.parse(body));
  requests.push(request);
  if (path === '/old')
    return await new LegacyJsonRpcTransportHandler(old).handle(request, new ServerCallContext());
  const isConfig = request.method === 'CreateTaskPushNotificationConfig';
  if (path === '/refusing' && isConfig)
    return { jsonrpc: '2.0', id: request.id, error: { code: -32003, message: 'Not supported.' } };
  if (path === '/ending' && isConfig) await end(request.params?.taskId ?? '');
  const handler = new JsonRpcTransportHandler(path === '/agent' ? current : silent);
  return await handler.handle(body, new ServerCallContext({ requestedVersion: '1.0' }));
}

function finish(path: string): string {
  const [, , id = '', state = 'COMPLETED'] = path.split('/');
  ends.get(id)?.(state);
  return id;
}

async function answerTo(path: string, body: string): Promise<unknown> {
  const wellKnown = '/.well-known/agent-card.json';
  if (path === '/tasks') return tasks;
  if (path === '/requests') return requests;
  if (path.startsWith('/finish/')) return finish(path);
  if (path.endsWith(wellKnown)) return cardAt(path.slice(0, -wellKnown.length));
  return await callAgent(path, body);
}

const server = createServer(async (request, response) => {
  const answer = await answerTo(request.url ?? '', await textOf(request));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => process.send?.(root()));
process.once('disconnect', () => process.exit());
