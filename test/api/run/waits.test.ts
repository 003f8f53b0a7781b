// Callers who wait for a run wait through the waits of its flow, as long as a run may take; a longer wait is
// no reason to keep them.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { agentUrls, newMessage, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

/** Longer than a worker sleeps through. */
const seconds = 5.2;
const hours = 3_600;

const wait = (length: number) => ({ type: 'wait', seconds: length });
const branch = (length: number) => ({ start: 'nap', nodes: { nap: wait(length) } });
const places = {
  'between nodes': (length: number) => wait(length),
  'in a branch': (length: number) => ({
    type: 'parallel',
    branches: {
      one: branch(length),
      two: { start: 'now', nodes: { now: { type: 'transform', output: 1 } } },
    },
  }),
  'in each item': (length: number) => ({ type: 'map', items: [1, 2, 3], body: branch(length) }),
} as const;

const waitingAgent = (node: JsonObject) =>
  liveAgent({
    flow: flow({
      start: 'rest',
      nodes: { rest: { ...node, next: 'done' }, done: { type: 'end', output: { rested: true } } },
    }),
  });
const trigger = async (agent: TestAgent) => {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  return (await call('triggerFlow', { key: agent.key, params, body: { message: '' } })).body;
};
const send = async (agent: TestAgent) =>
  (await rpc(agentUrls(agent).live, agent.key, 'SendMessage', { message: newMessage('x') })).result?.task;

describe('a wait within the time of its run', () => {
  test('is completed within the request, at any node, by the synchronous trigger and by SendMessage', async () => {
    const agents = await Promise.all(Object.values(places).map((node) => waitingAgent(node(seconds))));
    const [runs, tasks] = await Promise.all([
      Promise.all(agents.map((agent) => trigger(agent))),
      Promise.all(agents.map((agent) => send(agent))),
    ]);
    for (const run of runs) expect(run).toMatchObject({ status: 'completed', response: { rested: true } });
    for (const task of tasks) expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });
});

describe('a wait beyond the time of its run', () => {
  test.each(Object.entries(places))('%s: the state is pending at once', async (_where, node) => {
    const agent = await waitingAgent(node(hours));
    const run = await trigger(agent);
    expect(run).toMatchObject({ status: 'pending', response: {}, requires_input: false, error: null });
    expect(run.logs.at(-1)).toMatchObject({ event: 'paused' });
    expect(await send(agent)).toMatchObject({ status: { state: 'TASK_STATE_WORKING' } });
  });
});
