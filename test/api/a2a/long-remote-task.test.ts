// A queued run whose task at another agent takes long is paused, and reads the task at growing intervals. Each
// delivery begins with what is stored, as after the end of the process before.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import {
  callingForeignAgent,
  pauseRun,
  reached,
  secondsLeft,
  startClock,
} from '#test/support/remote-tasks.ts';
import { ownQueue, type webhookMessage } from '#test/support/runs.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { longShift, state } from '#test/support/worker.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer('a2a');
});
afterAll(() => server.stop());

let clock: ReturnType<typeof startClock>;
beforeEach(() => {
  clock = startClock();
});
afterEach(() => clock.stop());

const ids = async (list: 'working' | 'canceled') =>
  z.array(z.string()).parse(await (await fetch(`${server.url}/${list}`)).json());

async function waitingAgent(node: JsonObject = {}) {
  const ask = { type: 'a2a', agent: `${server.url}/agent`, message: 'work', next: 'done', ...node };
  const done = { type: 'end', output: { text: '{{ nodes.ask.text }}' } };
  return await liveAgent({ flow: flow({ start: 'ask', egress: [server.host], nodes: { ask, done } }) });
}

const paused = (agent: TestAgent) => pauseRun(clock, { agent, listTasks: () => ids('working') });

const resume = ({ triggerId, orgid, workspaceid }: ReturnType<typeof webhookMessage>) =>
  runQueued({ kind: 'run', triggerId, orgid, workspaceid }, longShift);

test('the run is paused between looks at the task, and ends with it', async () => {
  await using queue = await ownQueue();
  const agent = await waitingAgent();
  const { message, task } = await paused(agent);
  const { triggerId } = message;
  expect(await state(agent, triggerId)).toMatchObject({ status: 'pending' });
  expect(await queue.delayed()).toBe(1);
  expect(await secondsLeft(triggerId)).toBe(60);
  expect(await resume(message)).toMatchObject({ kind: 'later' });
  clock.pass(200_000);
  await resume(message);
  const seconds = await secondsLeft(triggerId);
  expect(seconds).toBeGreaterThan(110);
  expect(seconds).toBeLessThan(120);
  await fetch(`${server.url}/finish/${task}`);
  clock.pass(120_000);
  await resume(message);
  expect(await state(agent, triggerId)).toMatchObject({
    status: 'completed',
    response: { text: 'At last.' },
  });
  expect((await ids('working')).filter((id) => id === task)).toHaveLength(1);
});

const countCanceled = async (task: string) => (await ids('canceled')).filter((id) => id === task).length;

test('a run that is canceled while it is paused cancels the task at once, and once', async () => {
  await using _queue = await ownQueue();
  const agent = await waitingAgent();
  const { message, task } = await paused(agent);
  const params = { workspace_id: agent.workspaceid, workflow_id: message.triggerId };
  expect((await call('cancelRun', { key: agent.key, params })).status).toBe(200);
  await idle();
  expect(await countCanceled(task)).toBe(1);
  clock.pass(60_000);
  await resume(message);
  expect(await countCanceled(task)).toBe(1);
  expect(await state(agent, message.triggerId)).toMatchObject({ status: 'canceled' });
});

test('the time limit of the node counts the pauses, and its end cancels the task', async () => {
  await using _queue = await ownQueue();
  const agent = await waitingAgent({ timeout_seconds: 80 });
  const { message, task } = await paused(agent);
  expect(await secondsLeft(message.triggerId)).toBeLessThan(50);
  clock.pass(50_000);
  await resume(message);
  expect(await state(agent, message.triggerId)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('The node passed its time limit of 80 s. (timeout)'),
  });
  expect(await ids('canceled')).toContain(task);
});

test('a canceled run cancels the task at an agent of another organisation with its own credentials', async () => {
  await using _queue = await ownQueue();
  const { other, agent, listTasks } = await callingForeignAgent();
  const { message, task } = await pauseRun(clock, { agent, listTasks });
  const params = { workspace_id: agent.workspaceid, workflow_id: message.triggerId };
  const foreign = await call('cancelRun', { key: other.key, params });
  expect(foreign.status).toBe(404);
  expect((await call('cancelRun', { key: agent.key, params })).status).toBe(200);
  await reached({ agent: other, runId: task }, 'canceled');
});

/** Calls the agent in each of the scopes, beside another that fails after a minute. */
const failingBeside = (
  kind: 'parallel' | 'map',
  no: JsonObject = { type: 'fail', message: 'No.' },
): JsonObject => {
  const nodes = {
    ask: { type: 'a2a', agent: `${server.url}/agent`, message: 'work' },
    nap: { type: 'wait', seconds: 60, next: 'no' },
    no,
  };
  const { ask, ...others } = nodes;
  const branches = { a: { start: 'nap', nodes: others }, b: { start: 'ask', nodes: { ask } } };
  if (kind === 'parallel') return { type: 'parallel', branches, next: 'done' };
  const cases = [{ when: '{{ index = 0 }}', next: 'nap' }];
  const pick = { type: 'switch', cases, default: 'ask' };
  return { type: 'map', items: [1, 2], body: { start: 'pick', nodes: { pick, ...nodes } }, next: 'done' };
};

const done = { type: 'end', output: { text: 'Done.' } };

async function failingAgent(node: JsonObject, limits: JsonObject = {}) {
  const caught = { all: node, later: { type: 'wait', seconds: 60, next: 'done' }, done };
  const nodes = node.catch ? caught : { all: node, done };
  return await liveAgent({ flow: flow({ start: 'all', egress: [server.host], nodes, limits }) });
}

test.each(['parallel', 'map'] as const)(
  'a scope of a %s that fails cancels the task of one that is paused',
  async (kind) => {
    await using _queue = await ownQueue();
    const agent = await failingAgent(failingBeside(kind));
    const { message, task } = await paused(agent);
    clock.pass(60_000);
    await resume(message);
    expect(await state(agent, message.triggerId)).toMatchObject({ status: 'failed' });
    expect(await countCanceled(task)).toBe(1);
    await resume(message);
    expect(await countCanceled(task)).toBe(1);
  },
);

test('so does one whose error the flow catches, and the run continues', async () => {
  await using _queue = await ownQueue();
  const node = { ...failingBeside('parallel'), catch: [{ on: ['*'], next: 'later' }] };
  const agent = await failingAgent(node);
  const { message, task } = await paused(agent);
  clock.pass(60_000);
  await resume(message);
  expect(await countCanceled(task)).toBe(1);
  expect(await state(agent, message.triggerId)).toMatchObject({ status: 'pending' });
  clock.pass(61_000);
  await resume(message);
  expect(await state(agent, message.triggerId)).toMatchObject({ status: 'completed' });
  expect(await countCanceled(task)).toBe(1);
});

test('a run that passes a limit of its budget cancels the task of a paused branch', async () => {
  await using _queue = await ownQueue();
  const node = failingBeside('parallel', { type: 'transform', output: 1 });
  const agent = await failingAgent(node, { max_steps: 3 });
  const { message, task } = await paused(agent);
  clock.pass(60_000);
  await resume(message);
  const { error } = await state(agent, message.triggerId);
  expect(error).toContain('(limit.steps)');
  expect(await countCanceled(task)).toBe(1);
});

test('a run that nobody resumes before its deadline has passed cancels the task', async () => {
  await using _queue = await ownQueue();
  const agent = await waitingAgent();
  const { message, task } = await paused(agent);
  clock.pass(24 * 3_600_000);
  await resume(message);
  expect(await state(agent, message.triggerId)).toMatchObject({ status: 'failed' });
  expect(await countCanceled(task)).toBe(1);
});
