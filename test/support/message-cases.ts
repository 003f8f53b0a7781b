// Messages of queues, with what has to be there before them: what docs/aws-calls.md counts of the functions that
// no request calls.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { toRunMessage } from '#lib/run/run-queue.ts';
import { newMessage } from './a2a.ts';
import { triggerParams } from './automation-costs.ts';
import { flow } from './builders.ts';
import { consume, invoke, type QueueName } from './call-cost.ts';
import { newCallbackSecret } from './callbacks.ts';
import type { TestCaller } from './caller.ts';
import { askingFlow, eventFlow, liveAgent, type TestAgent } from './flows.ts';
import type { ReceivedRequest, Receiver } from './receiver.ts';
import { webhookMessage } from './runs.ts';
import { newTrigger, setting } from './triggers.ts';

export interface Surroundings {
  /** Accepts callbacks and push notifications. */
  readonly receiver: Receiver<ReceivedRequest>;
  /** The bodies of the messages that functions of this process have sent to the delivery queue, oldest first. */
  readonly deliveries: readonly string[];
}

export interface MessageCase {
  readonly queue: QueueName;
  /** Returns a function that returns the body of one more message. The first message fills the caches. */
  readonly prepare: (caller: TestCaller, surroundings: Surroundings) => Promise<() => Promise<string>>;
  /** How long after its preparation the message is handled, by the clock of the process. */
  readonly laterMs?: number;
}

const started = z.object({ workflow_id: z.string() });

/** A new run in the background, which no worker has begun. */
async function startRun(agent: TestAgent, some: object = {}): Promise<string> {
  const params = triggerParams(agent, agent.flowid);
  return started.parse(await invoke('startRun', agent, { params, body: { message: 'hello', ...some } }))
    .workflow_id;
}

const runMessage = ({ orgid, workspaceid }: TestAgent, run_id: string) =>
  JSON.stringify(toRunMessage({ run_id, orgid, workspaceid }));

const waitingFlow = flow({
  start: 'pause',
  nodes: {
    pause: { type: 'wait', seconds: 60, next: 'done' },
    done: { type: 'end', output: { answer: 'ok' } },
  },
});

const codeFlow = flow({
  start: 'work',
  nodes: {
    work: { type: 'code', code: 'return 1;', next: 'done' },
    done: { type: 'end', output: { answer: 'ok' } },
  },
});

/** A run that its worker has left until an answer or a time. */
async function waitingRun(agent: TestAgent): Promise<string> {
  const run_id = await startRun(agent);
  await consume('runQueued', runMessage(agent, run_id));
  return run_id;
}

/** The message that a function has sent last to the delivery queue, as if its time had come. */
const lastDelivery = ({ deliveries }: Surroundings, select: (message: object) => boolean = () => true) => {
  const bodies = deliveries.map((body) => z.looseObject({}).parse(JSON.parse(body)));
  return JSON.stringify({ ...bodies.findLast(select), wait_seconds: 0 });
};

const sent = z.object({ result: z.object({ task: z.object({ id: z.string() }) }) });

/** The parameters of `SendMessage` with a receiver of the updates. */
export const messageWithReceiver = (url: string) => ({
  message: newMessage('hello'),
  configuration: { taskPushNotificationConfig: { url } },
});

async function callAgent(agent: TestAgent, method: string, params: object): Promise<unknown> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  return await invoke('callLiveAgent', agent, { params: { flowId: agent.flowid }, body });
}

const sendMessage = async (agent: TestAgent, params: object): Promise<string> =>
  sent.parse(await callAgent(agent, 'SendMessage', params)).result.task.id;

/** A task that has ended, with a receiver that has not been sent that yet. */
async function endedTask(agent: TestAgent, { receiver }: Surroundings): Promise<string> {
  const taskId = await sendMessage(agent, { message: newMessage('hello') });
  await callAgent(agent, 'CreateTaskPushNotificationConfig', { taskId, id: randomUUID(), url: receiver.url });
  return taskId;
}

/** A run that has ended, with a callback that has not been delivered yet. */
async function endedRun(agent: TestAgent, { receiver }: Surroundings): Promise<string> {
  const run_id = await startRun(agent, { callback_url: receiver.url });
  await consume('runQueued', runMessage(agent, run_id));
  return run_id;
}

/** The runs of an agent go to a sink. */
const exportTo = (agent: TestAgent, { receiver }: Surroundings) =>
  setting(agent, 'live', { telemetry: { endpoint: receiver.url } });

const isCheck = (message: object) => 'check' in message;

type NextMessage = (agent: TestAgent, surroundings: Surroundings) => Promise<string>;

interface Options {
  readonly flow?: JsonObject;
  readonly laterMs?: number;
  /** What the workspace needs before. */
  readonly before?: (caller: TestCaller) => Promise<unknown>;
}

/** Messages about runs of one agent. */
const forAgent = (queue: QueueName, next: NextMessage, options: Options = {}): MessageCase => ({
  queue,
  ...(options.laterMs !== undefined && { laterMs: options.laterMs }),
  prepare: async (caller, surroundings) => {
    await options.before?.(caller);
    const agent = await liveAgent(options.flow ? { flow: options.flow } : {}, caller);
    return () => next(agent, surroundings);
  },
});
const toWorker = (next: NextMessage, options?: Options) => forAgent('runQueued', next, options);
const toDelivery = (next: NextMessage) => forAgent('deliverCallback', next);
const callback = (next: NextMessage) => forAgent('deliverCallback', next, { before: newCallbackSecret });

/** A delivery whose receiver fails once. */
async function failingDelivery(surroundings: Surroundings): Promise<string> {
  surroundings.receiver.answers.push(500);
  return lastDelivery(surroundings);
}

/** By the name that docs/aws-calls.md has for it. */
export const messageCases: Readonly<Record<string, MessageCase>> = {
  'worker: run a flow of one node for a webhook': toWorker(async (agent) =>
    JSON.stringify(webhookMessage(agent)),
  ),
  'worker: run a flow with a `code` node for a webhook': toWorker(
    async (agent) => JSON.stringify(webhookMessage(agent)),
    { flow: codeFlow },
  ),
  'worker: run a flow of one node in the background': toWorker(async (agent) =>
    runMessage(agent, await startRun(agent)),
  ),
  'worker: run a flow of one node with a callback': toWorker(async (agent, { receiver }) =>
    runMessage(agent, await startRun(agent, { callback_url: receiver.url })),
  ),
  'worker: run a flow of one node whose run is exported': toWorker(async (agent, surroundings) => {
    await exportTo(agent, surroundings);
    return runMessage(agent, await startRun(agent));
  }),
  'worker: run a flow to a question': toWorker(async (agent) => runMessage(agent, await startRun(agent)), {
    flow: askingFlow(),
  }),
  'worker: resume a run that was answered': toWorker(
    async (agent) => {
      const workflow_id = await waitingRun(agent);
      const params = { workspace_id: agent.workspaceid, workflow_id };
      await invoke('resumeRun', agent, { params, body: { answer: 'yes' } });
      return runMessage(agent, workflow_id);
    },
    { flow: askingFlow() },
  ),
  'worker: run a flow to a wait': toWorker(async (agent) => runMessage(agent, await startRun(agent)), {
    flow: waitingFlow,
  }),
  'worker: run a flow to a wait for an event': toWorker(
    async (agent) => runMessage(agent, await startRun(agent)),
    { flow: eventFlow },
  ),
  'worker: resume a run whose event was sent': toWorker(
    async (agent) => {
      const id = await waitingRun(agent);
      const query = { workspaceid: agent.workspaceid };
      await invoke('sendRunEvent', agent, { query, body: { event: 'payment.completed', key: 'hello' } });
      return JSON.stringify({ ...JSON.parse(runMessage(agent, id)), kind: 'event' });
    },
    { flow: eventFlow },
  ),
  'worker: deliver the event of a webhook to one run': toWorker(
    async (agent) => {
      await waitingRun(agent);
      const { trigger_id } = await newTrigger(agent, {
        kind: 'webhook',
        deliver: { event: 'payment.completed', key: '{{ input.event.data.order }}' },
      });
      return JSON.stringify({
        ...webhookMessage(agent, { event: { event: 'paid', data: { order: 'hello' } } }),
        trigger_id,
      });
    },
    { flow: eventFlow },
  ),
  'worker: keep a run waiting for 15 minutes': toWorker(
    async (agent) => runMessage(agent, await waitingRun(agent)),
    { flow: waitingFlow },
  ),
  'worker: resume a run after a wait': toWorker(async (agent) => runMessage(agent, await waitingRun(agent)), {
    flow: waitingFlow,
    laterMs: 61_000,
  }),
  'delivery: one push notification': toDelivery(async (agent, surroundings) => {
    await endedTask(agent, surroundings);
    return lastDelivery(surroundings);
  }),
  'delivery: one push notification, which fails': toDelivery(async (agent, surroundings) => {
    await endedTask(agent, surroundings);
    return failingDelivery(surroundings);
  }),
  'delivery: one push notification, which failed once': toDelivery(async (agent, surroundings) => {
    await endedTask(agent, surroundings);
    await consume('deliverCallback', await failingDelivery(surroundings));
    return lastDelivery(surroundings);
  }),
  'delivery: the three push notifications of a task of one node': toDelivery(async (agent, surroundings) => {
    await sendMessage(agent, messageWithReceiver(surroundings.receiver.url));
    return lastDelivery(surroundings);
  }),
  'delivery: check that push notifications are delivered': toDelivery(async (agent, surroundings) => {
    await sendMessage(agent, messageWithReceiver(surroundings.receiver.url));
    await consume('deliverCallback', lastDelivery(surroundings));
    return lastDelivery(surroundings, isCheck);
  }),
  'delivery: export a run': toDelivery(async (agent, surroundings) => {
    await exportTo(agent, surroundings);
    await consume('runQueued', runMessage(agent, await startRun(agent)));
    return lastDelivery(surroundings);
  }),
  'delivery: export a run, which fails': toDelivery(async (agent, surroundings) => {
    await exportTo(agent, surroundings);
    await consume('runQueued', runMessage(agent, await startRun(agent)));
    surroundings.receiver.answers.push(503);
    return lastDelivery(surroundings);
  }),
  'delivery: one callback': callback(async (agent, surroundings) => {
    await endedRun(agent, surroundings);
    return lastDelivery(surroundings);
  }),
  'delivery: one callback, which fails': callback(async (agent, surroundings) => {
    await endedRun(agent, surroundings);
    return failingDelivery(surroundings);
  }),
  'delivery: check that a callback is delivered': callback(async (agent, surroundings) => {
    await endedRun(agent, surroundings);
    await consume('deliverCallback', lastDelivery(surroundings));
    return lastDelivery(surroundings);
  }),
};
