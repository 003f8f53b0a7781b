// Messages of queues, with what has to be there before them: what docs/aws-calls.md counts of the functions that
// no request calls.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { toRunMessage } from '#lib/run/run-queue.ts';
import { newMessage } from './a2a.ts';
import { triggerParams } from './automation-costs.ts';
import { flow } from './builders.ts';
import { consume, invoke, type QueueName } from './call-cost.ts';
import { newCallbackSecret } from './callbacks.ts';
import type { TestCaller } from './caller.ts';
import { askingFlow, liveAgent, type TestAgent } from './flows.ts';
import type { ReceivedRequest, Receiver } from './receiver.ts';
import { webhookMessage } from './runs.ts';

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

const isCheck = (message: object) => 'check' in message;

/** By the name that docs/aws-calls.md has for it. */
export const messageCases: Readonly<Record<string, MessageCase>> = {
  'worker: run a flow of one node for a webhook': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({}, caller);
      return async () => JSON.stringify(webhookMessage(agent));
    },
  },
  'worker: run a flow of one node in the background': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({}, caller);
      return async () => runMessage(agent, await startRun(agent));
    },
  },
  'worker: run a flow of one node with a callback': {
    queue: 'runQueued',
    prepare: async (caller, { receiver }) => {
      const agent = await liveAgent({}, caller);
      return async () => runMessage(agent, await startRun(agent, { callback_url: receiver.url }));
    },
  },
  'worker: run a flow to a question': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({ flow: askingFlow() }, caller);
      return async () => runMessage(agent, await startRun(agent));
    },
  },
  'worker: resume a run that was answered': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({ flow: askingFlow() }, caller);
      return async () => {
        const workflow_id = await waitingRun(agent);
        const params = { workspace_id: agent.workspaceid, workflow_id };
        await invoke('resumeRun', agent, { params, body: { answer: 'yes' } });
        return runMessage(agent, workflow_id);
      };
    },
  },
  'worker: run a flow to a wait': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({ flow: waitingFlow }, caller);
      return async () => runMessage(agent, await startRun(agent));
    },
  },
  'worker: keep a run waiting for 15 minutes': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({ flow: waitingFlow }, caller);
      return async () => runMessage(agent, await waitingRun(agent));
    },
  },
  'worker: resume a run after a wait': {
    queue: 'runQueued',
    prepare: async (caller) => {
      const agent = await liveAgent({ flow: waitingFlow }, caller);
      return async () => runMessage(agent, await waitingRun(agent));
    },
    laterMs: 61_000,
  },
  'delivery: one push notification': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      const agent = await liveAgent({}, caller);
      return async () => {
        await endedTask(agent, surroundings);
        return lastDelivery(surroundings);
      };
    },
  },
  'delivery: one push notification, which fails': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      const agent = await liveAgent({}, caller);
      return async () => {
        await endedTask(agent, surroundings);
        surroundings.receiver.answers.push(500);
        return lastDelivery(surroundings);
      };
    },
  },
  'delivery: one push notification, which failed once': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      const agent = await liveAgent({}, caller);
      return async () => {
        await endedTask(agent, surroundings);
        surroundings.receiver.answers.push(500);
        await consume('deliverCallback', lastDelivery(surroundings));
        return lastDelivery(surroundings);
      };
    },
  },
  'delivery: the three push notifications of a task of one node': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      const agent = await liveAgent({}, caller);
      return async () => {
        await sendMessage(agent, messageWithReceiver(surroundings.receiver.url));
        return lastDelivery(surroundings);
      };
    },
  },
  'delivery: check that push notifications are delivered': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      const agent = await liveAgent({}, caller);
      return async () => {
        await sendMessage(agent, messageWithReceiver(surroundings.receiver.url));
        await consume('deliverCallback', lastDelivery(surroundings));
        return lastDelivery(surroundings, isCheck);
      };
    },
  },
  'delivery: one callback': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      await newCallbackSecret(caller);
      const agent = await liveAgent({}, caller);
      return async () => {
        await endedRun(agent, surroundings);
        return lastDelivery(surroundings);
      };
    },
  },
  'delivery: one callback, which fails': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      await newCallbackSecret(caller);
      const agent = await liveAgent({}, caller);
      return async () => {
        await endedRun(agent, surroundings);
        surroundings.receiver.answers.push(500);
        return lastDelivery(surroundings);
      };
    },
  },
  'delivery: check that a callback is delivered': {
    queue: 'deliverCallback',
    prepare: async (caller, surroundings) => {
      await newCallbackSecret(caller);
      const agent = await liveAgent({}, caller);
      return async () => {
        await endedRun(agent, surroundings);
        await consume('deliverCallback', lastDelivery(surroundings));
        return lastDelivery(surroundings);
      };
    },
  },
};
