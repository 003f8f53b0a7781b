// Who started the runs of a list: as the page of the run says it, and no more.
import { describe, expect, test } from 'vitest';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem, updateItem } from '#lib/dynamo/items.ts';
import { finishInline } from '#lib/run/run-inline.ts';
import { toPosition } from '#lib/run/run-position.ts';
import { runKey, type StoredRun } from '#lib/run/stored-run.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { startedTask } from '#test/support/killed-task.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { storedRuns } from '#test/support/stored-run.ts';

type Reader = Pick<TestCaller, 'key' | 'workspaceid'>;

const list = async ({ key, workspaceid }: Reader, query: object = {}) =>
  (await call('listRuns', { key, query: { workspaceid, ...query } })).body;

/** By the id of the run: who started it. */
async function callers(reader: Reader, query: object = {}) {
  const { items } = await list(reader, query);
  return Object.fromEntries(
    items.map(({ workflow_id, created_by, caller_organization }) => [
      workflow_id,
      created_by ?? caller_organization ?? 'unknown',
    ]),
  );
}

const detail = async ({ key }: Reader, workflow_id: string) =>
  (await call('getRunDetail', { key, params: { workflow_id } })).body;

/** As a version of the service without the caller in these keys has stored it. */
const storedBefore = async (run: Pick<StoredRun, 'run_id' | 'created_at'>) =>
  await updateItem(runsTable, runKey(run.run_id), {
    UpdateExpression: 'SET gsi1sk = :position, gsi2sk = :position',
    ExpressionAttributeValues: { ':position': toPosition(run) },
  });

describe('a caller of the organisation', () => {
  test('is named, for runs of workers and of requests, by both indexes, as in the run', async () => {
    const agent = await liveAgent();
    const other = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid] });
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const queued = await startedRun(agent);
    const inline = (await call('triggerFlow', { key: other.key, params, body: { message: 'Hi' } })).body;
    await idle();
    const expected = { [queued]: agent.id, [inline.workflow_id]: other.id };
    expect(await callers(agent)).toEqual(expected);
    expect(await callers(agent, { flowid: agent.flowid })).toEqual(expected);
    expect(await detail(agent, inline.workflow_id)).toMatchObject({
      created_by: other.id,
      caller_organization: 'own',
    });
  });

  test('is named while a request executes the run, which no index has', async () => {
    const agent = await liveAgent();
    const started = await startedTask(agent);
    const expected = { [started.run.run_id]: agent.id };
    expect(await callers(agent)).toEqual(expected);
    await finishInline(started);
    expect(await callers(agent)).toEqual(expected);
  });

  test('selects runs', async () => {
    const agent = await liveAgent();
    const other = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid] });
    const [own, others] = [await startedRun(agent), await startedRun({ ...agent, key: other.key })];
    expect(await callers(agent, { created_by: agent.id })).toEqual({ [own]: agent.id });
    expect(await callers(agent, { created_by: other.id })).toEqual({ [others]: other.id });
    expect(await callers(agent, { created_by: other.id, trigger: 'webhook' })).toEqual({});
    expect(await callers(agent, { created_by: 'nobody' })).toEqual({});
  });
});

describe('a caller of another organisation', () => {
  test('is not named, neither in the list nor in its index, and is found by no filter', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const sent = await rpc(agentUrls(agent).live, stranger.key, 'SendMessage', { message: newMessage('Hi') });
    const id = readTaskId(sent.result);
    await idle();
    const [run] = (await list(agent)).items;
    expect(run).toMatchObject({ workflow_id: id, caller_organization: 'other' });
    expect(run).not.toHaveProperty('created_by');
    expect(JSON.stringify(run)).not.toContain(stranger.id);
    const { gsi1sk, gsi2sk } = (await getItem(runsTable, runKey(id))) ?? {};
    expect([gsi1sk, gsi2sk]).toEqual([expect.stringMatching(/#$/), gsi1sk]);
    expect(await callers(agent, { created_by: stranger.id })).toEqual({});
    const seen = await detail(agent, id);
    expect([seen.caller_organization, seen.created_by]).toEqual(['other', undefined]);
  });
});

describe('runs that an earlier version has stored', () => {
  test('are listed without their caller, whom the run still names', async () => {
    const agent = await liveAgent();
    const before = await startedRun(agent);
    await idle();
    await storedBefore({ run_id: before, created_at: (await detail(agent, before)).created_at });
    const now = await startedRun(agent);
    expect(await callers(agent)).toEqual({ [before]: 'unknown', [now]: agent.id });
    expect(await callers(agent, { created_by: agent.id })).toEqual({ [now]: agent.id });
    expect(await detail(agent, before)).toMatchObject({ created_by: agent.id });
  });

  test.each([1, 2, 3])('are in pages of %i once, in order, beside others', async (limit) => {
    const caller = await newCaller();
    const runs = await storedRuns(caller, 6);
    for (const [n, run] of runs.entries()) if (n % 2 === 0) await storedBefore(run);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(caller, { limit: String(limit), ...(cursor && { cursor }) });
      ids.push(...page.items.map(({ workflow_id }) => workflow_id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(ids).toEqual(runs.map(({ run_id }) => run_id).reverse());
  });

  test('are within from and to like others', async () => {
    const caller = await newCaller();
    const runs = await storedRuns(caller, 4);
    for (const run of runs.slice(1, 3)) await storedBefore(run);
    const [, second, third] = runs.map(({ created_at }) => created_at);
    expect(Object.keys(await callers(caller, { from: second, to: third })).sort()).toEqual(
      runs
        .slice(1, 3)
        .map(({ run_id }) => run_id)
        .sort(),
    );
  });
});
