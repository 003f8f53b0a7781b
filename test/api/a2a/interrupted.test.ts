// Tasks whose process dies, or is stopped, while it executes them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { createRecorder } from '#lib/run/recorder.ts';
import { insertRun, readRun } from '#lib/run/run-items.ts';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { callingFlow } from '#test/support/flows.ts';
import { killedTask } from '#test/support/killed-task.ts';
import { putLive, startLocal } from '#test/support/local-start.ts';
import { expireLease } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('a task whose process was killed', () => {
  test('is working until the lease of the process has expired, and has failed then', async () => {
    const { agent, id } = await killedTask();
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    const get = async () => await client.getTask({ id, tenant: '', historyLength: undefined });
    expect((await get()).status?.state).toBe(TaskState.TASK_STATE_WORKING);
    await expireLease(id);
    const { status } = await get();
    expect(status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(status?.message?.parts[0]?.content?.value).toBe('The run was interrupted before it ended.');
  });

  test('ends for a subscriber who is the only one to look at it', async () => {
    const { agent, id } = await killedTask();
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    const payloads: StreamResponse['payload'][] = [];
    for await (const { payload } of client.resubscribeTask({ id, tenant: '' })) {
      payloads.push(payload);
      if (payload?.$case === 'task') await expireLease(id);
    }
    expect(payloads.at(-1)).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_FAILED } },
    });
  });
});

test('the lease of a run that a request executes is renewed while its process lives', async () => {
  const { orgid, workspaceid } = await newCaller();
  const deadline = Date.now() + 60_000;
  const fresh = { orgid, workspaceid, generation: 0, lease_until: Date.now(), deadline };
  const stored = run({ ...fresh, run_id: newRunId(), ttl: Math.floor(deadline / 1_000) + 60 });
  await insertRun(stored);
  const recorder = createRecorder({ run: stored, lease: stored.lease ?? '', leaseMs: 1_500 });
  await vi.waitUntil(
    async () => Number((await readRun(stored.run_id))?.lease_until) > stored.lease_until + 1_500,
    { timeout: 60_000, interval: 100 },
  );
  recorder.close();
});

describe('when the service is stopped in order', () => {
  const stopped = 'SIGTERM';

  test.each([
    ['a message that its sender waits for', false],
    ['a message that a worker executes', true],
  ])(
    'the task of %s continues after the next start, and no finished node is repeated',
    async (_, returnImmediately) => {
      const home = await mkdtemp(join(tmpdir(), 'agent-flow-stop-'));
      const [first, second] = [unique('first'), unique('second')];
      const env = { EGRESS_ALLOW_PRIVATE: upstream.host };
      const before = await startLocal(home, env);
      const flow = callingFlow(upstream, [`count/${first}`, `gate/${second}`]);
      const registryId = await putLive(before, { flow });
      const url = `${before.ready.baseUrl}/api/v1/ai/a2a/agents/${registryId}/`;
      const client = await officialClient(url, before.ready.apiKey);
      const sent = client.sendMessage(sending('Hello', { configuration: { returnImmediately } }));
      await upstream.arrived(second);
      const [task] = await Promise.all([sent, before.stop(stopped)]);
      expect(asTask(task).status?.state).not.toBe(TaskState.TASK_STATE_FAILED);

      upstream.open(second);
      const after = await startLocal(home, env);
      const again = await officialClient(
        url.replace(before.ready.baseUrl, after.ready.baseUrl),
        after.ready.apiKey,
      );
      const get = async () =>
        await again.getTask({ id: asTask(task).id, tenant: '', historyLength: undefined });
      await vi.waitUntil(async () => (await get()).status?.state === TaskState.TASK_STATE_COMPLETED, {
        timeout: 60_000,
        interval: 200,
      });
      expect(upstream.calls(first)).toBe(1);
      expect(upstream.calls(second)).toBe(2);
      await after.stop();
      await rm(home, { recursive: true });
    },
  );

  test('the caller of a synchronous trigger gets the failure, and nothing continues', async () => {
    const home = await mkdtemp(join(tmpdir(), 'agent-flow-stop-'));
    const gate = unique('gate');
    const service = await startLocal(home, { EGRESS_ALLOW_PRIVATE: upstream.host });
    await putLive(service, { flow: callingFlow(upstream, [`gate/${gate}`]) });
    const { flowid, workspaceid } = service.ready;
    const sent = service.send(`POST /api/v1/ai/trigger/${workspaceid}/${flowid}/live`, { message: '' });
    await upstream.arrived(gate);
    const [result] = await Promise.all([sent, service.stop(stopped)]);
    expect(result).toMatchObject({ status: 'failed', error: 'The run was interrupted before it ended.' });
    await rm(home, { recursive: true });
  });
});
