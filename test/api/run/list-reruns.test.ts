// The runs that have repeated or forked a run: a bounded read, whatever else the workspace has run.
import { expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { fork, ordered } from '#test/support/forks.ts';
import { startedRun } from '#test/support/run-calls.ts';

const page = async ({ key, workspaceid }: Pick<TestCaller, 'key' | 'workspaceid'>, query: object) => {
  const { body } = await call('listRuns', { key, query: { workspaceid, ...query } });
  return { ids: body.items.map(({ workflow_id }) => workflow_id), next: body.nextCursor };
};
const found = async (...args: Parameters<typeof page>) => (await page(...args)).ids;

const replayed = async ({ key }: TestAgent, workflow_id: string) =>
  (await call('replayRun', { key, params: { workflow_id }, body: {} })).body.workflow_id;

/** A run with two replays, beside a run of the same flow. */
async function repeated() {
  const agent = await liveAgent();
  const id = await startedRun(agent);
  await startedRun(agent);
  await idle();
  const first = await replayed(agent, id);
  const second = await replayed(agent, id);
  await idle();
  return { agent, id, first, second };
}

test('the replays of a run are found, newest first, page by page, and with other filters', async () => {
  const { agent, id, first, second } = await repeated();
  expect(await found(agent, { replay_of: id })).toEqual([second, first]);
  const one = await page(agent, { replay_of: id, limit: '1' });
  const two = await page(agent, { replay_of: id, limit: '1', cursor: one.next });
  expect([one.ids, two]).toEqual([[second], { ids: [first], next: undefined }]);
  expect(await found(agent, { replay_of: id, status: 'completed' })).toEqual([second, first]);
  expect(await found(agent, { replay_of: id, status: 'failed' })).toEqual([]);
  expect(await found(agent, { replay_of: id, flowid: agent.flowid })).toEqual([second, first]);
  expect(await found(agent, { replay_of: id, flowid: unique('flow') })).toEqual([]);
  expect(await found(agent, { replay_of: id, created_by: agent.id })).toEqual([second, first]);
  expect(await found(agent, { replay_of: id, to: '2026-01-01T00:00:00Z' })).toEqual([]);
  expect(await found(agent, { replay_of: id, from: '2026-01-01T00:00:00Z' })).toEqual([second, first]);
  expect(await found(agent, { replay_of: first })).toEqual([]);
  expect(await found(agent, { fork_of: id })).toEqual([]);
});

test('the forks of a run are found', async () => {
  const { agent, workflow_id } = await ordered();
  const { body } = await fork(agent, workflow_id, { from: 'each' });
  await idle();
  expect(await found(agent, { fork_of: workflow_id })).toEqual([body.workflow_id]);
  expect(await found(agent, { fork_of: workflow_id, replay_of: workflow_id })).toEqual([]);
});

test('a run of another organisation or workspace has none, like a missing one', async () => {
  const { agent, id } = await repeated();
  const stranger = await newCaller();
  const elsewhere = { key: agent.key, workspaceid: unique('ws') };
  for (const name of ['replay_of', 'fork_of']) {
    expect(await found(stranger, { [name]: id })).toEqual([]);
    expect(await found(elsewhere, { [name]: id })).toEqual([]);
    expect(await found(agent, { [name]: newRunId() })).toEqual([]);
  }
});
