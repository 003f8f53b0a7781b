// A paused run resumes when the agent notifies that its task has changed, long before it would have read the task by
// itself: its next read is minutes away by a clock that does not move. The agents are those of the official SDK's
// server, and agents of this service.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readRun } from '#lib/run/run-items.ts';
import { notificationId } from '#lib/run/task-notification.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { call } from '#test/support/client.ts';
import {
  callingAgent,
  callingForeignAgent,
  finish,
  listRequests,
  pauseRun,
  reached,
  secondsLeft,
  startClock,
  tasksOf,
} from '#test/support/remote-tasks.ts';
import { ownQueue } from '#test/support/runs.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { longShift, state } from '#test/support/worker.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer('notifying');
});
afterAll(() => server.stop());

let clock: ReturnType<typeof startClock>;
beforeEach(() => {
  clock = startClock();
});
afterEach(() => clock.stop());

/** The wake-ups by time are in a queue that nobody reads. */
async function paused(path = '/agent') {
  return await pauseRun(clock, { agent: await callingAgent(server, path), listTasks: tasksOf(server) });
}

test.each([
  ['1.0', '/agent'],
  ['0.3', '/old'],
])('a run ends when an agent of A2A %s notifies of the end of the task', async (_version, path) => {
  await using _queue = await ownQueue();
  const run = await paused(path);
  expect(await secondsLeft(run.runId)).toBe(300);
  await finish(server, run.task);
  expect(await reached(run, 'completed')).toMatchObject({ response: { text: 'It is COMPLETED.' } });
});

test('a run asks its caller when the agent notifies that the task needs input', async () => {
  await using _queue = await ownQueue();
  const run = await paused();
  await finish(server, run.task, 'INPUT_REQUIRED');
  const asking = await reached(run, 'input_required');
  expect(asking).toMatchObject({ input_requests: [{ prompt: 'It is INPUT_REQUIRED.' }] });
});

test.each(['FAILED', 'REJECTED', 'AUTH_REQUIRED'])(
  'a run fails when the agent notifies that the task is %s',
  async (end) => {
    await using _queue = await ownQueue();
    const run = await paused();
    await finish(server, run.task, end);
    expect(await reached(run, 'failed')).toMatchObject({ error: expect.stringContaining(`It is ${end}.`) });
  },
);

test('a run fails when the task at an agent of another organisation of this service is canceled there', async () => {
  await using _queue = await ownQueue();
  const { other, ...calling } = await callingForeignAgent();
  const run = await pauseRun(clock, calling);
  expect(await secondsLeft(run.runId)).toBe(300);
  const params = { workspace_id: other.workspaceid, workflow_id: run.task };
  expect((await call('cancelRun', { key: other.key, params })).status).toBe(200);
  expect(await reached(run, 'failed')).toMatchObject({ error: expect.stringContaining('a2a.canceled') });
});

test('a task has its configuration once it has taken long, with a token that nobody is shown', async () => {
  await using _queue = await ownQueue();
  const run = await paused();
  const requests = await listRequests(server);
  const [sent, ...others] = requests.filter(({ params }) => params.taskId === run.task);
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    method: 'CreateTaskPushNotificationConfig',
    params: {
      url: expect.stringContaining(`/public/a2a-notifications/${run.runId}/`),
      token: expect.stringMatching(/^[\w-]{43}$/),
    },
  });
  const params = { workflow_id: run.runId };
  const detail = await call('getRunDetail', { key: run.agent.key, params });
  expect(detail.text).not.toContain(String(sent?.params.token));
  const message = requests.findLast(({ method }) => method === 'SendMessage');
  expect(message?.params.configuration).toMatchObject({ returnImmediately: true });
});

test('a run polls an agent that refuses the configuration', async () => {
  await using _queue = await ownQueue();
  const run = await paused('/refusing');
  expect(await secondsLeft(run.runId)).toBe(60);
  await finish(server, run.task);
  clock.pass(61_000);
  await resume(run.message);
  expect(await state(run.agent, run.runId)).toMatchObject({ status: 'completed' });
});

test('a run whose notification never comes reads the task by itself', async () => {
  await using _queue = await ownQueue();
  const run = await paused('/silent');
  const intervals: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    intervals.push(await secondsLeft(run.runId));
    clock.pass(((intervals.at(-1) ?? 0) + 1) * 1_000);
    if (n === 3) await finish(server, run.task);
    await resume(run.message);
  }
  expect(intervals.slice(0, 2)).toEqual([300, 300]);
  expect(intervals.slice(2).every((seconds) => seconds > 300 && seconds <= 900)).toBe(true);
  expect(await state(run.agent, run.runId)).toMatchObject({ status: 'completed' });
});

const resume = ({ triggerId, orgid, workspaceid }: Awaited<ReturnType<typeof paused>>['message']) =>
  runQueued({ kind: 'run', triggerId, orgid, workspaceid }, longShift);

function notification({ message, task }: Awaited<ReturnType<typeof paused>>, path = '/agent') {
  const { triggerId, orgid, workspaceid } = message;
  const named = notificationId({ agent: `${server.url}${path}`, task_id: task });
  const received_at = new Date().toISOString();
  return { kind: 'notification', triggerId, orgid, workspaceid, task: named, received_at } as const;
}

test('a notification of a task that is still in progress is one read, however often it comes', async () => {
  await using queue = await ownQueue();
  const run = await paused('/silent');
  const reads = async () =>
    (await listRequests(server)).filter(
      ({ method, params }) => method === 'GetTask' && params.id === run.task,
    ).length;
  const before = await reads();
  const repeated = notification(run, '/silent');
  expect(await runQueued(repeated, longShift)).toEqual({ kind: 'done' });
  expect(await reads()).toBe(before + 1);
  expect(await runQueued({ ...repeated }, longShift)).toMatchObject({ kind: 'later' });
  clock.pass(6_000);
  expect(await runQueued(notification(run, '/silent'), longShift)).toEqual({ kind: 'done' });
  expect(await reads()).toBe(before + 2);
  clock.pass(6_000);
  const generation = (await readRun(run.runId))?.generation;
  expect(await runQueued(repeated, longShift)).toEqual({ kind: 'done' });
  expect(await reads()).toBe(before + 2);
  expect((await readRun(run.runId))?.generation).toBe(generation);
  // Reads before their time add no message to the one that comes at the time.
  expect(await queue.delayed()).toBe(1);
});

test('a notification that comes before the run is paused has it read the task then', async () => {
  await using _queue = await ownQueue();
  const agent = await callingAgent(server, '/silent');
  const early: ReturnType<typeof notification>[] = [];
  const run = await pauseRun(clock, {
    agent,
    listTasks: tasksOf(server),
    beforePause: async (before) => {
      const message = notification(before, '/silent');
      expect(await runQueued(message, longShift)).toMatchObject({ kind: 'later', delayMs: 10_000 });
      early.push(message);
      const received_at = new Date(Date.now() - 60_000).toISOString();
      const old = await runQueued({ ...message, received_at }, longShift);
      expect(old).toMatchObject({ kind: 'later', delayMs: expect.closeTo(33_000, -3) });
    },
  });
  await finish(server, run.task);
  for (const message of early) expect(await runQueued(message, longShift)).toEqual({ kind: 'done' });
  expect(await state(agent, run.runId)).toMatchObject({ status: 'completed' });
});

test('a task that ends while its configuration is set is read once more before the pause', async () => {
  await using _queue = await ownQueue();
  const run = await paused('/ending');
  expect(await state(run.agent, run.runId)).toMatchObject({ status: 'completed' });
});

test('a notification of another task, and one of a run that is over, have no effect', async () => {
  await using queue = await ownQueue();
  const run = await paused('/silent');
  const other = { ...notification(run, '/silent'), task: notificationId({ agent: 'a', task_id: 't' }) };
  const generation = (await readRun(run.runId))?.generation;
  expect(await runQueued(other, longShift)).toEqual({ kind: 'done' });
  expect((await readRun(run.runId))?.generation).toBe(generation);
  const params = { workspace_id: run.agent.workspaceid, workflow_id: run.runId };
  await call('cancelRun', { key: run.agent.key, params });
  expect(await runQueued(notification(run, '/silent'), longShift)).toEqual({ kind: 'done' });
  expect(await state(run.agent, run.runId)).toMatchObject({ status: 'canceled' });
  expect(await queue.delayed()).toBe(1);
});
