import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

const read = (key: string, workflow_id: string) => call('getRunInput', { key, params: { workflow_id } });

describe('200', () => {
  test('a run in the background has its message and its variables, unchanged, and nobody may store the answer', async () => {
    const agent = await liveAgent();
    const user_variables = { password: 'hunter22', order: { id: 7 } };
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const body = { message: 'Where is it?', user_variables };
    const { workflow_id } = (await call('startRun', { key: agent.key, params, body })).body;
    await idle();
    const answer = await read(agent.key, workflow_id);
    expect(answer.body).toEqual({ workflow_id, input: body });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('the run of a webhook has its event', async () => {
    const agent = await liveAgent();
    const event = { event: 'order.paid', data: { order: 7 } };
    const message = webhookMessage(agent, { event });
    await deliver(JSON.stringify(message));
    await idle();
    const { body } = await read(agent.key, message.triggerId);
    expect(body.input).toMatchObject({ event });
  });

  test('an A2A task has its message', async () => {
    const agent = await liveAgent();
    const { result } = await rpc(agentUrls(agent).agent, agent.key, 'SendMessage', {
      message: newMessage('Where is it?'),
    });
    const { body } = await read(agent.key, readTaskId(result));
    expect(body.input).toMatchObject({
      message: 'Where is it?',
      a2a: { message: { parts: [{ text: 'Where is it?' }] } },
    });
  });

  test('each reading leaves an audit record with the run, its workspace and the reader', async () => {
    const agent = await liveAgent();
    const workflow_id = await startedRun(agent);
    const inspector = await newCaller({
      orgid: agent.orgid,
      workspaces: [agent.workspaceid],
      scopes: ['runs:inspect'],
    });
    await read(inspector.key, workflow_id);
    await read(inspector.key, workflow_id);
    await idle();
    const query = { workspaceid: agent.workspaceid };
    const records = (await call('listAudit', { key: agent.key, query })).body.items;
    const readings = records.filter(({ operation }) => operation === 'run/get-input');
    expect(readings).toMatchObject(
      Array(2).fill({ caller: inspector.id, resource: workflow_id, status: 200 }),
    );
  });
});

describe('403', () => {
  test('a key that may start and see runs may not read their input', async () => {
    const agent = await liveAgent();
    const workflow_id = await startedRun(agent);
    const scopes = ['assistants.flows:read', 'assistants.flows:run', 'audit:read'] as const;
    const { key } = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid], scopes });
    expect((await read(key, workflow_id)).problem).toMatchObject({ status: 403, code: 'permission_denied' });
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
    const foreign = await Promise.all(keys.map(async (key) => (await read(key, id)).problem));
    const missing = (await read(agent.key, newRunId())).problem;
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    for (const problem of foreign) expect({ ...problem, instance: '' }).toEqual({ ...missing, instance: '' });
  });

  test('an event that became a dead letter has no run', async () => {
    const agent = await liveAgent();
    const message = webhookMessage({ ...agent, flowid: unique('flow') });
    await deliver(JSON.stringify(message));
    await idle();
    const { problem } = await read(agent.key, message.triggerId);
    expect(problem).toMatchObject({ status: 404, code: 'event_not_run' });
  });

  test('a run that its request executed has no input, unless it has paused', async () => {
    const trigger = async (agent: Awaited<ReturnType<typeof liveAgent>>) => {
      const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
      const { body } = await call('triggerFlow', { key: agent.key, params, body: { message: 'Hello' } });
      return await read(agent.key, body.workflow_id);
    };
    const { problem } = await trigger(await liveAgent());
    expect(problem).toMatchObject({ status: 404, code: 'run_input_not_kept' });
    const paused = await trigger(await liveAgent({ flow: askingFlow() }));
    expect(paused.body.input).toMatchObject({ message: 'Hello' });
  });
});
