// The address to which other agents send push notifications: who may, and what they cannot find out.
import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { createNotificationTarget, notificationId } from '#lib/run/task-notification.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { notify, update } from '#test/support/remote-tasks.ts';
import { askingRun, runState } from '#test/support/run-calls.ts';
import { testedService } from '#test/support/tested-service.ts';

const agent = 'https://agents.example/a';
const another = { agent: 'https://agents.example/b', task: 't' };

async function notifiable() {
  const caller = await newCaller();
  const { workflow_id: runId } = await askingRun(caller);
  return { caller, runId, agent, task: 't' };
}

describe('204', () => {
  test.each([
    ['of the end', update('TASK_STATE_COMPLETED')],
    ['of the task as it is now', { task: { id: 't', status: { state: 'TASK_STATE_FAILED' } } }],
    ['of a task that works', update('TASK_STATE_WORKING')],
    ['of an artifact', { artifactUpdate: { taskId: 't', artifact: { parts: [] } } }],
    ['of A2A 0.3', { kind: 'task', id: 't', status: { state: 'completed' } }],
    ['that nobody can read', { nonsense: true }],
    ['that is too deep to be read', JSON.parse(`{"deep":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)],
  ])('a notification %s is accepted, and a run that does not wait stays as it is', async (_what, body) => {
    const run = await notifiable();
    const before = await runState(run.caller, run.runId);
    const answer = await notify(run, { body });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    await idle();
    expect(await runState(run.caller, run.runId)).toEqual(before);
  });

  test('a notification of a run that is over is accepted, so that its sender does not try again', async () => {
    const run = await notifiable();
    const { workspaceid } = run.caller;
    const params = { workspace_id: workspaceid, workflow_id: run.runId };
    await call('cancelRun', { key: run.caller.key, params });
    expect((await notify(run)).status).toBe(204);
  });
});

describe('400', () => {
  test('a run id that is none is named as the mistake', async () => {
    const { problem } = await notify(await notifiable(), { runId: 'none' });
    expect(problem).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(problem.errors).toMatchObject([{ pointer: '/path/runId' }]);
  });
});

describe('404', () => {
  test('a wrong token, that of another task or run, and a run that does not exist are the same', async () => {
    const [run, other] = [await notifiable(), await notifiable()];
    const tokenOf = async (runId: string, task: { agent: string; task: string }) =>
      (await createNotificationTarget(runId, { agent: task.agent, task_id: task.task })).token.reveal();
    const forged = 'A'.repeat(43);
    const answers = [
      await notify(run, { token: forged }),
      await notify(run, { token: '' }),
      await notify(run, { token: `${await tokenOf(run.runId, run)}A` }),
      await notify(run, { token: await tokenOf(run.runId, another) }),
      await notify(run, { token: await tokenOf(other.runId, run) }),
      await notify(run, { id: notificationId({ agent: another.agent, task_id: 't' }) }),
      await notify(run, { runId: other.runId }),
      await notify({ ...run, runId: newRunId() }),
    ];
    const seen = answers.map(({ problem: { instance: _, ...rest } }) => rest);
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(seen[0]).toMatchObject({ status: 404, code: 'notified_task_not_found' });
  });

  test('a token in the address is none', async () => {
    const run = await notifiable();
    const { url, token } = await createNotificationTarget(run.runId, { agent, task_id: 't' });
    const response = await fetch(`${url}?token=${token.reveal()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(404);
    expect(url).toContain(testedService().baseUrl);
  });
});

test('413: a body beyond the limit of messages is refused', async () => {
  const { problem } = await notify(await notifiable(), { body: { text: 'x'.repeat(1024 * 1024) } });
  expect(problem).toMatchObject({ status: 413, code: 'payload_too_large' });
});

test('415: a body is JSON by its content type', async () => {
  const run = await notifiable();
  const { id, token } = await createNotificationTarget(run.runId, { agent, task_id: 't' });
  const { problem } = await call('receiveNotification', {
    params: { runId: run.runId, notificationId: id },
    text: '{}',
    headers: { 'Content-Type': 'text/plain', 'X-A2A-Notification-Token': token.reveal() },
  });
  expect(problem).toMatchObject({ status: 415, code: 'unsupported_media_type' });
});

test('429: notifications of one task are limited, and those of another are accepted', async () => {
  const run = await notifiable();
  const answers = await Promise.all(Array.from({ length: 40 }, () => notify(run)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.problem).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('task'),
  });
  expect((await notify({ ...run, ...another })).status).toBe(204);
});
