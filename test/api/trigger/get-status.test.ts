import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { markRedriven, readLetter } from '#lib/run/dead-letter-items.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { cancelRun, startedRun } from '#test/support/run-calls.ts';
import { deliver, eventually, webhookMessage } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const run = async (agent: TestAgent) =>
  (
    await call('triggerFlow', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
      body: { message: 'Hello' },
    })
  ).body;
const webhook = async (agent: TestAgent) =>
  (
    await call('acceptWebhook', {
      key: agent.key,
      params: { flow_id: agent.flowid },
      body: { event: 'test' },
    })
  ).body.triggerId;
const state = (agent: Pick<TestAgent, 'key' | 'workspaceid'>, workflow_id: string) =>
  call('getRun', { key: agent.key, params: { workspace_id: agent.workspaceid, workflow_id } });

describe('200', () => {
  test("a completed run has the form of the trigger's answer", async () => {
    const agent = await liveAgent();
    const result = await run(agent);
    expect((await state(agent, result.workflow_id)).body).toEqual(result);
  });

  test('a failed run has it too, with the code and the node of the failure', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const result = await run(agent);
    const failure = { code: 'fail', message: expect.stringContaining('No stock'), node_id: 'broken' };
    expect((await state(agent, result.workflow_id)).body).toEqual({ ...result, failure });
  });

  test('a run in progress is pending, and completed afterwards', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const id = await webhook(agent);
    await upstream.arrived(gate);
    expect((await state(agent, id)).body).toMatchObject({
      workflow_id: id,
      status: 'pending',
      response: {},
      requires_input: false,
      error: null,
    });
    upstream.open(gate);
    await idle();
    expect((await state(agent, id)).body).toMatchObject({ status: 'completed', response: { done: true } });
  });

  test('a task that was canceled over A2A is canceled', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const { agent: url } = agentUrls(agent);
    const configuration = { returnImmediately: true };
    const { result } = await rpc(url, agent.key, 'SendMessage', { message: newMessage('x'), configuration });
    const id = readTaskId(result);
    await upstream.arrived(gate);
    await rpc(url, agent.key, 'CancelTask', { id });
    expect((await state(agent, id)).body).toMatchObject({ status: 'canceled', response: {}, error: null });
  });
});

describe('200 of an event without a run', () => {
  test('is failed with the reason if it could not be run, and pending after a redrive', async () => {
    const agent = await liveAgent();
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid: agent.a2aregistryid } });
    const message = webhookMessage(agent);
    const { triggerId } = message;
    await deliver(JSON.stringify(message));
    await idle();
    const { body, headers } = await state(agent, triggerId);
    expect(body).toMatchObject({ workflow_id: triggerId, status: 'failed', response: {} });
    expect(body.error).toContain('has no live build');
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    const params = { workspace_id: agent.workspaceid, workflow_id: triggerId };
    expect((await call('getRun', { key: agent.key, params, headers: known })).status).toBe(304);
    const letter = await readLetter(agent, triggerId);
    if (letter) await markRedriven(letter, new Date().toISOString());
    expect((await state(agent, triggerId)).body).toMatchObject({ status: 'pending', error: null });
  });
});

describe('200 that waits', () => {
  const wait = (agent: TestAgent, workflow_id: string, headers: Readonly<Record<string, string>> = {}) =>
    call('getRun', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, workflow_id },
      query: { wait: '10' },
      headers,
    });

  test('responds as soon as the run changes', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const id = await webhook(agent);
    await upstream.arrived(gate);
    // The events of the beginning are stored within a second; then nothing changes until the gate opens.
    const before = await eventually(
      () => state(agent, id),
      ({ body }) => body.logs.length > 0,
    );
    const waiting = wait(agent, id, { 'if-none-match': before.headers.get('etag') ?? '' });
    upstream.open(gate);
    const after = await waiting;
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.body.logs.length).toBeGreaterThan(before.body.logs.length);
  });

  test('responds at once for a run that has ended, and for a state that the caller does not know', async () => {
    const agent = await liveAgent();
    const { workflow_id } = await run(agent);
    const startedAt = performance.now();
    expect((await wait(agent, workflow_id)).body.status).toBe('completed');
    expect((await wait(agent, workflow_id, { 'if-none-match': '"0-pending"' })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('304', () => {
  test('a caller that has the current state gets no body, and every other state has another ETag', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await startedRun(agent);
    await idle();
    const { headers } = await state(agent, id);
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    const again = (workflow_id: string) =>
      call('getRun', {
        key: agent.key,
        params: { workspace_id: agent.workspaceid, workflow_id },
        headers: known,
      });
    expect((await again(id)).status).toBe(304);
    await cancelRun(agent, id);
    expect((await again(id)).status).toBe(200);
  });
});

describe('400', () => {
  test.each(['21', '-1', 'x'])('a wait of %s is reported', async (seconds) => {
    const { key, workspaceid: workspace_id } = await newCaller();
    const params = { workspace_id, workflow_id: newRunId() };
    const { problem } = await call('getRun', { key, params, query: { wait: seconds } });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/wait']);
  });

  test('a malformed id is reported', async () => {
    const { problem } = await state(await newCaller(), 'run-1');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/path/workflow_id']);
  });
});

describe('403', () => {
  test('a key for other workspaces', async () => {
    const agent = await liveAgent();
    const { workflow_id } = await run(agent);
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    const { problem } = await state({ ...elsewhere, workspaceid: agent.workspaceid }, workflow_id);
    expect(problem.code).toBe('permission_denied');
  });
});

describe('404', () => {
  test('a missing run and one of another organisation or workspace give the same error', async () => {
    const agent = await liveAgent();
    const { workflow_id } = await run(agent);
    const stranger = await newCaller();
    const answers = await Promise.all([
      state({ ...stranger, workspaceid: agent.workspaceid }, workflow_id),
      state({ ...agent, workspaceid: unique('ws') }, workflow_id),
      state(agent, newRunId()),
    ]);
    const [foreign, elsewhere, missing] = answers.map(({ problem }) => ({ ...problem, instance: '' }));
    expect(foreign).toEqual(missing);
    expect(elsewhere).toEqual(missing);
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    // It may be an event that was accepted and is not begun yet.
    expect(missing?.detail).toContain('ask again');
    expect(answers[2].headers.has('retry-after')).toBe(true);
  });
});
