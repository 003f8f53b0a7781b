// A run that no worker resumes has failed for good, whichever reader finds it first and whatever arrives later.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { enqueueCallbackCheck } from '#lib/run/callback-queue.ts';
import { insertRun } from '#lib/run/run-items.ts';
import { claimRun } from '#lib/run/run-lease.ts';
import { toRunMessage } from '#lib/run/run-queue.ts';
import { newRun } from '#lib/run/start.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { queueWaitMs } from '#lib/run/stored-run.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { newCallbackSecret, settled } from '#test/support/callbacks.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { flushDelayedMessages } from '#test/support/control.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { cancelRun, runState } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { longShift } from '#test/support/worker.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const hour = 3_600_000;

/** Stored by a worker that died thirteen hours ago, before it began. */
async function neverBegun(callbackUrl?: string) {
  const counted = unique('count');
  const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${counted}`]) });
  const row = await readRow(agent.a2aregistryid);
  if (!row) throw new Error('The row was just made.');
  const run = newRun({
    runId: newRunId(),
    row,
    caller: agent,
    trigger: 'webhook',
    mode: 'queued',
    environment: 'live',
    input: JSON.stringify({ message: '', user_variables: {} }),
    now: Date.now() - 13 * hour,
    limitMs: queueWaitMs,
    ...(callbackUrl !== undefined && { callbackUrl }),
  });
  await enqueueCallbackCheck(run);
  await insertRun(run);
  return { agent, run, effects: () => upstream.calls(counted) };
}

const redriven = (run: StoredRun) => runQueued(toRunMessage(run), longShift);

const ends = async (agent: TestAgent, { run_id }: StoredRun) => {
  const { status, error } = await runState(agent, run_id);
  return { status, error };
};
const interrupted = { status: 'failed', error: 'The run was interrupted before it ended.' };

test('a run that was reported as failed does not start when its message arrives late', async () => {
  const { agent, run, effects } = await neverBegun();
  expect(await ends(agent, run)).toEqual(interrupted);
  expect(await redriven(run)).toEqual({ kind: 'done' });
  expect(await ends(agent, run)).toEqual(interrupted);
  expect(effects()).toBe(0);
});

test('a late message that arrives before the first read ends the run, and does not start it', async () => {
  const { agent, run, effects } = await neverBegun();
  expect(await redriven(run)).toEqual({ kind: 'done' });
  expect(await ends(agent, run)).toEqual(interrupted);
  expect(effects()).toBe(0);
});

test('no worker takes the run, not even one that read it before its deadline', async () => {
  const { run } = await neverBegun();
  expect(await claimRun(run, 'delays', Date.now(), Date.now() + 60_000)).toBe(false);
});

test('its callback reports the failure once', async () => {
  const receiver = await startReceiver();
  const { agent, run } = await neverBegun(receiver.url);
  await newCallbackSecret(agent);
  await settled(agent, run);
  await redriven(run);
  await flushDelayedMessages();
  expect(receiver.received.map(({ content }) => content.type)).toEqual(['run.failed']);
  expect(await ends(agent, run)).toEqual(interrupted);
  await receiver.close();
});

test('it cannot be canceled afterwards, and all endpoints report the same state', async () => {
  const { agent, run } = await neverBegun();
  expect((await cancelRun(agent, run.run_id)).problem.code).toBe('run_over');
  expect(await ends(agent, run)).toEqual(interrupted);
  const { key, workspaceid } = agent;
  const listed = (await call('listRuns', { key, query: { workspaceid, flowid: agent.flowid } })).body.items;
  expect(listed.map(({ status }) => status)).toEqual(['failed']);
  const { body } = await call('getRunDetail', { key, params: { workflow_id: run.run_id } });
  expect(body).toMatchObject({ ...interrupted, ended_at: expect.any(String) });
});

test('its log ends with the failure, and has no running node', async () => {
  const { agent, run } = await neverBegun();
  const { key } = agent;
  const { body } = await call('getRunDetail', { key, params: { workflow_id: run.run_id } });
  const message = `The run failed: ${interrupted.error}`;
  expect(body.logs).toMatchObject([{ seq: 1, event: 'run_failed', level: 'error', message }]);
  expect(body).not.toHaveProperty('started_at');
});
