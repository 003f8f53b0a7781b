import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { failingFlow, liveAgent } from '#test/support/flows.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

const get = (key: string, workflow_id: string) => call('getRunDetail', { key, params: { workflow_id } });

describe('200', () => {
  test('a completed run has its trigger, its times and its path', async () => {
    const agent = await liveAgent({
      flow: flow({
        start: 'count',
        state: { n: 0 },
        nodes: {
          count: {
            type: 'transform',
            output: '{{ state.n + 1 }}',
            assign: { n: '{{ nodes.count }}' },
            next: 'enough',
          },
          enough: { type: 'switch', cases: [{ when: '{{ state.n < 2 }}', next: 'count' }], default: 'done' },
          done: { type: 'end', output: { n: '{{ state.n }}' } },
        },
      }),
    });
    const id = await startedRun(agent);
    await idle();
    const { body } = await get(agent.key, id);
    expect(body).toMatchObject({
      workflow_id: id,
      status: 'completed',
      response: { n: 2 },
      error: null,
      trigger: 'background',
      trigger_id: agent.flowid,
      environment: 'live',
      flowid: agent.flowid,
      a2aregistryid: agent.a2aregistryid,
      build_no: 1,
      workspaceid: agent.workspaceid,
      created_by: agent.id,
      tokens: { input: 0, output: 0 },
      cost_estimate: 0,
      currency: 'USD',
    });
    expect(body.path.map(({ node_id, visit, status }) => [node_id, visit, status])).toEqual([
      ['count', 1, 'completed'],
      ['enough', 1, 'completed'],
      ['count', 2, 'completed'],
      ['enough', 2, 'completed'],
      ['done', 1, 'completed'],
    ]);
    expect(body.duration_ms).toBeGreaterThanOrEqual(body.waited_ms ?? Number.NaN);
    expect(body.logs.length).toBeGreaterThan(5);
  });

  test('a run names the key that started it, unless the key belongs to another organisation', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const begun = async ({ key }: { key: string }) => {
      const { result } = await rpc(agentUrls(agent).agent, key, 'SendMessage', {
        message: newMessage('Hello'),
      });
      return (await get(agent.key, readTaskId(result))).body;
    };
    expect((await begun(agent)).created_by).toBe(agent.id);
    const theirs = await begun(stranger);
    expect(theirs.status).toBe('completed');
    expect(theirs).not.toHaveProperty('created_by');
    expect(JSON.stringify(theirs)).not.toContain(stranger.id);
  });

  test('the waiting time of an event counts from its acceptance, not from its first worker', async () => {
    const agent = await liveAgent();
    const accepted_at = new Date(Date.now() - 60_000).toISOString();
    const message = webhookMessage(agent, { accepted_at });
    await deliver(JSON.stringify(message));
    await idle();
    const { body } = await get(agent.key, message.triggerId);
    expect(body.status).toBe('completed');
    expect(body.waited_ms).toBeGreaterThanOrEqual(60_000);
    expect(body.duration_ms).toBeGreaterThanOrEqual(body.waited_ms ?? Number.NaN);
  });

  test('a failed run has its reason and node', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const id = await startedRun(agent, 'tea');
    await idle();
    const { body } = await get(agent.key, id);
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('No stock of tea.') });
    expect(body.path).toMatchObject([{ node_id: 'broken', status: 'failed' }]);
  });

  test('a value that looks like a secret is not in the log', async () => {
    const secret = `sk-${'a1B2'.repeat(10)}`;
    const agent = await liveAgent({
      flow: flow({
        start: 'keep',
        nodes: {
          keep: { type: 'transform', output: { authorization: `Bearer ${secret}` }, next: 'done' },
          done: { type: 'end', output: { done: true } },
        },
      }),
    });
    const id = await startedRun(agent);
    await idle();
    expect((await get(agent.key, id)).text).not.toContain(secret);
  });

  test('a secret in an error message is redacted, in the run and in the synchronous answer', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const message = `Authorization: Bearer ${'a1B2'.repeat(8)}, password=hunter22`;
    const id = await startedRun(agent, message);
    await idle();
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const error = 'broken: No stock of Authorization: [redacted], password=[redacted] (fail)';
    const waited = await call('triggerFlow', { key: agent.key, params, body: { message } });
    expect(waited.body).toMatchObject({ status: 'failed', error });
    expect(await runState(agent, id)).toMatchObject({ status: 'failed', error });
    for (const { text } of [waited, await get(agent.key, id)])
      for (const secret of ['a1B2', 'hunter22']) expect(text).not.toContain(secret);
  });
});

describe('404', () => {
  test('a missing run and one of another organisation or workspace give the same error', async () => {
    const agent = await liveAgent();
    const id = await startedRun(agent);
    const keys = [
      (await newCaller()).key,
      (await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] })).key,
    ];
    const foreign = await Promise.all(keys.map(async (key) => (await get(key, id)).problem));
    const missing = (await get(agent.key, newRunId())).problem;
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    for (const problem of foreign) expect({ ...problem, instance: '' }).toEqual({ ...missing, instance: '' });
  });
});
