// A real A2A agent by the official SDK's server, at `/agent`. The message says what it does: see
// `behaviours`. At `/old` is an agent of A2A 0.3, `/canceled` and `/working` say which tasks were canceled and which
// work until `/finish/{id}`, and `/{status}`
// is an agent that answers that status.
import { createServer, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { AgentCard, Message, Task } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import * as z from 'zod';

const canceled: string[] = [];
/** Tasks that work until `/finish/{id}` is called. */
const working: string[] = [];
/** The bodies that `/breaking` and `/broken` have received. */
const received: string[] = [];
/** How many looks at a task are left until it is done. */
const patience = new Map<string, number>();

const agentMessage = (parts: object[]) =>
  Message.fromJSON({ messageId: crypto.randomUUID(), role: 'ROLE_AGENT', parts });

/** What a message's text makes the agent do. */
const behaviours: Record<string, (context: RequestContext, bus: ExecutionEventBus) => void | Promise<void>> =
  {
    hello: (_context, bus) => bus.publish(AgentEvent.message(agentMessage([{ text: 'Hello.' }]))),
    echo: ({ userMessage }, bus) => {
      const received = Message.toJSON(userMessage);
      bus.publish(AgentEvent.message(agentMessage([{ data: received }])));
    },
    report: (context, bus) =>
      bus.publish(
        task(context, 'TASK_STATE_COMPLETED', {
          artifacts: [
            { artifactId: 'a', parts: [{ text: 'One.' }, { data: { n: 1 } }] },
            { artifactId: 'b', parts: [{ text: 'Two.' }, { data: { n: 2 } }] },
          ],
        }),
      ),
    costly: (context, bus) => bus.publish(used(context, { steps: 3, model_calls: 1, tokens: 7 })),
    overrun: (context, bus) => bus.publish(used(context, { steps: 50_001, model_calls: 1, tokens: 1e9 })),
    overstated: (context, bus) => bus.publish(used(context, { steps: -3, model_calls: 1, tokens: 1e9 })),
    ask: (context, bus) => bus.publish(task(context, 'TASK_STATE_INPUT_REQUIRED', said('Which order?'))),
    login: (context, bus) => bus.publish(task(context, 'TASK_STATE_AUTH_REQUIRED', said('Log in first.'))),
    later: (context, bus) => {
      patience.set(context.taskId, 2);
      bus.publish(task(context, 'TASK_STATE_SUBMITTED'));
    },
    fail: (context, bus) => bus.publish(task(context, 'TASK_STATE_FAILED', said('Out of stock.'))),
    reject: (context, bus) => bus.publish(task(context, 'TASK_STATE_REJECTED', said('Not mine.'))),
    work: (context, bus) => {
      working.push(context.taskId);
      bus.publish(task(context, 'TASK_STATE_WORKING'));
    },
    expensive: (context, bus) =>
      bus.publish(
        task(context, 'TASK_STATE_WORKING', {
          metadata: { agent_flow: { used: { steps: 3, model_calls: 1, tokens: 7 } } },
        }),
      ),
    flood: (_context, bus) =>
      bus.publish(AgentEvent.message(agentMessage([{ text: 'x'.repeat(2 * 1024 ** 2) }]))),
    crash: () => {
      throw new Error('The agent fell over.');
    },
  };

const used = (context: RequestContext, counts: object) =>
  task(context, 'TASK_STATE_COMPLETED', { metadata: { agent_flow: { used: counts } } });

const said = (text: string) => ({ said: agentMessage([{ text }]) });

function task(
  context: RequestContext,
  state: string,
  { said: message, ...more }: { said?: Message; artifacts?: object[]; metadata?: object } = {},
) {
  const status = { state, ...(message && { message: Message.toJSON(message) }) };
  return AgentEvent.task(
    Task.fromJSON({ id: context.taskId, contextId: context.contextId, status, ...more }),
  );
}

const executor: AgentExecutor = {
  execute: async (context, bus) => {
    const [part] = context.userMessage.parts;
    const word = part?.content?.$case === 'text' ? part.content.value : 'echo';
    await (behaviours[word] ?? behaviours.echo)?.(context, bus);
    bus.finished();
  },
  cancelTask: async (_taskId, bus) => bus.finished(),
};

const store = new InMemoryTaskStore();
const root = () => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
};
const cardAt = (path: string) => ({
  name: 'Test agent',
  description: 'Acts out the state that a message names.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${root()}${path}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});
const oldCard = () => ({
  protocolVersion: '0.3.0',
  name: 'Old agent',
  description: 'Older.',
  version: '1.0.0',
  url: `${root()}/old`,
  preferredTransport: 'JSONRPC',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});
const oldAnswer = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  result: {
    kind: 'message',
    role: 'agent',
    messageId: 'm-1',
    parts: [{ kind: 'text', text: 'Hello from 0.3.' }],
  },
});

const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'There is no such context.' } };

const envelope = z.object({ id: z.unknown(), method: z.string(), params: z.looseObject({}).optional() });

async function callAgent(body: string): Promise<unknown> {
  const { method, params } = envelope.parse(JSON.parse(body));
  const id = String(params?.id);
  if (body.includes('"contextId":"forgotten"')) return refusal;
  if (method === 'CancelTask') canceled.push(id);
  const left = patience.get(id);
  if (method === 'GetTask' && left !== undefined) {
    patience.set(id, left - 1);
    if (left === 0) await finish(id);
  }
  const handler = new DefaultRequestHandler(AgentCard.fromJSON(cardAt('/agent')), store, executor);
  return await new JsonRpcTransportHandler(handler).handle(body, context());
}

const context = () => new ServerCallContext({ requestedVersion: '1.0' });

async function finish(id: string): Promise<void> {
  const status = { state: 'TASK_STATE_COMPLETED' };
  const artifacts = [{ artifactId: 'a', parts: [{ text: 'At last.' }] }];
  await store.save(Task.fromJSON({ id, contextId: 'c', status, artifacts }), context());
}

async function answerTo(path: string, body: string): Promise<unknown> {
  const wellKnown = '/.well-known/agent-card.json';
  if (path === '/canceled') return canceled;
  if (path === '/received') return received;
  if (path === '/working') return working;
  if (path.startsWith('/finish/')) return await finish(path.slice('/finish/'.length)).then(() => 'done');
  if (/^\/(breaking|broken)\/\./.test(path)) return cardAt(path.slice(0, path.indexOf('/.')));
  if (path === '/breaking' || path === '/broken') return await callAgent(body);
  if (path === `/agent${wellKnown}` || path === '/somewhere/card.json') return cardAt('/agent');
  if (path === `/old${wellKnown}`) return oldCard();
  if (path === `/garbled${wellKnown}`) return ['no card'];
  if (path === '/agent') return await callAgent(body);
  if (path === '/old') return oldAnswer(envelope.parse(JSON.parse(body)).id);
  if (path.endsWith(wellKnown) && /^\/\d{3}\//.test(path)) return cardAt(path.slice(0, 4));
  return undefined;
}

/** `/broken` answers nothing, `/breaking` breaks the connection twice for each method: before and in the answer. */
function breaks(path: string, body: string, response: ServerResponse): boolean {
  if (path !== '/breaking' && path !== '/broken') return false;
  received.push(body);
  const { method } = envelope.parse(JSON.parse(body));
  const count = received.filter((each) => each.includes(`"${method}"`)).length;
  if (path === '/breaking' && count > 2) return false;
  if (count === 2) response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
  setImmediate(() => response.destroy());
  return true;
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

const server = createServer(async (request, response) => {
  const path = request.url ?? '';
  const body = (await textOf(request)).replaceAll('AUTHORIZATION', request.headers.authorization ?? 'none');
  const answer = await answerTo(path, body);
  if (breaks(path, body, response)) return;
  send(response, answer === undefined ? Number(/^\/(\d{3})$/.exec(path)?.[1] ?? 404) : 200, answer ?? {});
});
server.listen(0, '127.0.0.1', () => process.send?.(root()));
process.once('disconnect', () => process.exit());
