import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { listDeliveries, newCallbackSecret, settled, startWithCallback } from '#test/support/callbacks.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { delivered } from '#test/support/push.ts';
import { startPushReceiver, startReceiver } from '#test/support/receiver.ts';

describe('200', () => {
  test('shows each attempt and the time of the next one, and nothing of the response of the receiver', async () => {
    const receiver = await startReceiver();
    const agent = await liveAgent();
    await newCallbackSecret(agent);
    receiver.answers.push(503);
    const run = await startWithCallback(agent, receiver.url);
    await idle();
    const waiting = await listDeliveries(agent, run);
    expect(waiting).toEqual({
      workflow_id: run.run_id,
      state: 'waiting',
      attempts: [{ at: expect.any(String), duration_ms: expect.any(Number), status: 503 }],
      next_attempt_at: expect.any(String),
    });
    const wait = Date.parse(waiting.next_attempt_at ?? '') - Date.parse(waiting.attempts[0]?.at ?? '');
    expect(wait).toBeGreaterThanOrEqual(5_000);
    const delivered = await settled(agent, run);
    expect(delivered).toMatchObject({ state: 'delivered', attempts: [{ status: 503 }, { status: 204 }] });
    expect(delivered).not.toHaveProperty('next_attempt_at');
    await receiver.close();
  });

  test('shows the state `none` for a run without a callback', async () => {
    const agent = await liveAgent();
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const { body } = await call('triggerFlow', { key: agent.key, params, body: { message: '' } });
    const asked = { params: { workflow_id: body.workflow_id }, query: { workspaceid: agent.workspaceid } };
    const answer = await call('listDeliveries', { key: agent.key, ...asked });
    expect(answer.body).toEqual({ workflow_id: body.workflow_id, state: 'none', attempts: [] });
  });
});

describe('the push notifications of a task', () => {
  test('are shown with their attempts, without what their client has configured', async () => {
    const receiver = await startPushReceiver();
    const agent = await liveAgent();
    receiver.answers.push(503);
    const configuration = { taskPushNotificationConfig: { url: receiver.url, id: 'mine', token: 'a-token' } };
    const params = { message: newMessage('Hello'), configuration };
    const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', params);
    const run_id = readTaskId(result);
    await idle();
    const waiting = await listDeliveries(agent, { run_id });
    expect(waiting).toEqual({
      ...{ workflow_id: run_id, state: 'none', attempts: [] },
      push_notifications: [
        {
          ...{ id: 'mine', state: 'waiting', delivered: 0 },
          attempts: [{ at: expect.any(String), duration_ms: expect.any(Number), status: 503 }],
          next_attempt_at: expect.any(String),
        },
      ],
    });
    await delivered(run_id);
    expect((await listDeliveries(agent, { run_id })).push_notifications).toEqual([
      { id: 'mine', state: 'delivered', delivered: 3, last_delivered_at: expect.any(String), attempts: [] },
    ]);
    await receiver.close();
  });
});

describe('403', () => {
  test('a key for another workspace', async () => {
    const { key } = await newCaller({ workspaces: [unique('ws')] });
    const asked = { params: { workflow_id: newRunId() }, query: { workspaceid: unique('ws') } };
    expect((await call('listDeliveries', { key, ...asked })).problem.code).toBe('permission_denied');
  });
});

describe('404', () => {
  test('a missing run and one of another organisation give the same error', async () => {
    const agent = await liveAgent();
    const run = await startWithCallback(agent, 'https://receiver.example/hook');
    const { key } = await newCaller();
    for (const id of [run.run_id, newRunId()]) {
      const asked = { params: { workflow_id: id }, query: { workspaceid: agent.workspaceid } };
      expect((await call('listDeliveries', { key, ...asked })).problem.code).toBe('run_not_found');
    }
  });
});
