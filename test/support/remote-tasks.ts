// Runs that wait for tasks of other agents, and the notifications that those agents send.
import { vi } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { readRun } from '#lib/run/run-items.ts';
import { createNotificationTarget } from '#lib/run/task-notification.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { flow } from './builders.ts';
import { newCaller } from './caller.ts';
import { call } from './client.ts';
import { putConnection } from './connections.ts';
import { liveAgent, type TestAgent } from './flows.ts';
import { webhookMessage } from './runs.ts';
import type { ServerProcess } from './server-process.ts';
import { testedService } from './tested-service.ts';
import { longShift, state } from './worker.ts';

/**
 * A wall clock and a monotonic clock of this process that pass only as the test says. They begin a minute ago: for
 * the service, as much time has passed after half a minute of the test.
 */
export function startClock() {
  let passedMs = 0;
  const monotonic = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passedMs);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() - 60_000);
  return {
    pass: (ms: number) => {
      passedMs += ms;
      vi.setSystemTime(Date.now() + ms);
    },
    stop: () => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    },
  };
}
type TestClock = ReturnType<typeof startClock>;

/** A flow that calls the agent, and ends with the text of its answer. */
export async function callingAgent(server: ServerProcess, path = '/agent'): Promise<TestAgent> {
  const ask = { type: 'a2a', agent: `${server.url}${path}`, message: 'Work', next: 'done' };
  const done = { type: 'end', output: { text: '{{ nodes.ask.text }}' } };
  return await liveAgent({ flow: flow({ start: 'ask', egress: [server.host], nodes: { ask, done } }) });
}

/** A flow that calls a public agent of another organisation of this service, whose tasks sleep for a day. */
export async function callingForeignAgent() {
  const nap = { type: 'wait', seconds: 86_400 };
  const other = await liveAgent({ flow: flow({ start: 'nap', nodes: { nap } }), visibility: 'public' });
  const { host } = new URL(testedService().baseUrl);
  const caller = await newCaller();
  const declared = { type: 'http_header', hosts: [host] };
  const credential = { header: 'X-API-Key', value: caller.key };
  await putConnection(caller, 'agents', { ...declared, credential });
  const ask = { type: 'a2a', agent: other.a2aregistryid, message: 'Hi', connection: 'agents' };
  const calling = flow({ start: 'ask', nodes: { ask }, connections: { agents: declared } });
  const query = { workspaceid: other.workspaceid };
  return {
    other,
    agent: await liveAgent({ flow: calling }, caller),
    listTasks: async () =>
      (await call('listRuns', { key: other.key, query })).body.items.map(({ workflow_id }) => workflow_id),
  };
}

const sent = z.looseObject({ method: z.string(), params: z.record(z.string(), z.json()) });

/** The requests that the agents of the server have received. */
export async function listRequests(server: ServerProcess): Promise<z.infer<typeof sent>[]> {
  return z.array(sent).parse(await (await fetch(`${server.url}/requests`)).json());
}

export interface PausedRun {
  readonly agent: TestAgent;
  readonly runId: string;
  /** The task of the agent that the run waits for. */
  readonly task: string;
  readonly message: ReturnType<typeof webhookMessage>;
}

const ids = z.array(z.string());

interface PauseOptions {
  readonly agent: TestAgent;
  /** The tasks of the agent that is called. */
  readonly listTasks: () => Promise<readonly string[]>;
  /** While the worker still polls the task. */
  readonly beforePause?: (run: PausedRun) => Promise<void>;
}

/** Delivers the first message in this process, and lets half a minute pass while the worker polls. */
export async function pauseRun(
  clock: TestClock,
  { agent, listTasks, beforePause }: PauseOptions,
): Promise<PausedRun> {
  const message = webhookMessage(agent);
  const before = await listTasks();
  const working = runQueued(message, longShift);
  await vi.waitUntil(async () => (await listTasks()).length > before.length, { timeout: 30_000 });
  const task = (await listTasks()).find((id) => !before.includes(id)) ?? '';
  const run = { agent, runId: message.triggerId, task, message };
  await beforePause?.(run);
  clock.pass(31_000);
  await working;
  return run;
}

export const tasksOf = (server: ServerProcess) => async () =>
  ids.parse(await (await fetch(`${server.url}/tasks`)).json());

export const finish = async (server: ServerProcess, task: string, end = 'COMPLETED') => {
  await fetch(`${server.url}/finish/${task}/${end}`);
};

/** Seconds of this process until the run reads the task without a notification. */
export const secondsLeft = async (runId: string): Promise<number> =>
  Math.round((((await readRun(runId))?.wake_at ?? 0) - Date.now()) / 1_000);

/** Resolves once the workers of the service have brought the run to that status. */
export async function reached({ agent, runId }: Pick<PausedRun, 'agent' | 'runId'>, status: string) {
  await vi.waitUntil(async () => (await state(agent, runId)).status === status, {
    timeout: 60_000,
    interval: 100,
  });
  return await state(agent, runId);
}

interface Notification {
  readonly runId: string;
  /** As the flow names the agent. */
  readonly agent: string;
  readonly task: string;
}

/** As the agent sends it, with what the test changes. */
export async function notify(
  { runId, agent, task }: Notification,
  { body = completed, ...other }: { body?: JsonObject; runId?: string; id?: string; token?: string } = {},
) {
  const { id, token } = await createNotificationTarget(runId, { agent, task_id: task });
  const given = { runId, id, token: token.reveal(), ...other };
  return await call('receiveNotification', {
    params: { runId: given.runId, notificationId: given.id },
    body,
    headers: { 'X-A2A-Notification-Token': given.token },
  });
}

export const update = (state: string): JsonObject => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state } },
});
const completed = update('TASK_STATE_COMPLETED');
