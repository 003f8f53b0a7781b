// Runs that requests execute, in the lists: an index has them from their first event on, and their permits show
// them before that.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem, putItem, updateItem } from '#lib/dynamo/items.ts';
import { newRunId } from '#lib/ids.ts';
import { readPermits } from '#lib/limits/permit-items.ts';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';
import { finishInline } from '#lib/run/run-inline.ts';
import { insertRun } from '#lib/run/run-items.ts';
import { acquireRunPermit } from '#lib/run/run-permit.ts';
import { runKey } from '#lib/run/stored-run.ts';
import { agentUrls, rpc } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedTask } from '#test/support/killed-task.ts';
import { runState } from '#test/support/run-calls.ts';
import { expireLease } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';

async function listRuns({ key, workspaceid }: TestAgent, query: object = {}) {
  const { items } = (await call('listRuns', { key, query: { workspaceid, ...query } })).body;
  return items.map(({ workflow_id, status }) => [workflow_id, status]);
}

const taskPage = z.object({
  tasks: z.array(z.object({ id: z.string(), status: z.object({ state: z.string() }) })),
  nextPageToken: z.string(),
  totalSize: z.number(),
});
const listPage = async (agent: TestAgent, params: object, key = agent.key) =>
  taskPage.parse((await rpc(agentUrls(agent).live, key, 'ListTasks', params)).result);
const listTasks = async (agent: TestAgent, params: object = {}, key = agent.key) =>
  (await listPage(agent, params, key)).tasks.map(({ id, status }) => [id, status.state]);

/** As if it had been started so long before. */
async function startedEarlier(runId: string, ms: number): Promise<void> {
  await updateItem(runsTable, runKey(runId), {
    UpdateExpression: 'SET created_at = :at, deadline = deadline - :ms',
    ExpressionAttributeValues: { ':at': new Date(Date.now() - ms).toISOString(), ':ms': ms },
  });
}

describe('a run that a request executes', () => {
  test('is in both lists from its start, and once, before its first event and after its end', async () => {
    const agent = await liveAgent();
    const started = await startedTask(agent);
    const id = started.run.run_id;
    for (const query of [{}, { flowid: agent.flowid }, { status: 'pending' }])
      expect(await listRuns(agent, query)).toEqual([[id, 'pending']]);
    expect(await listRuns(agent, { status: 'completed' })).toEqual([]);
    for (const params of [{}, { status: 'TASK_STATE_WORKING' }])
      expect(await listTasks(agent, params)).toEqual([[id, 'TASK_STATE_WORKING']]);
    await finishInline(started);
    expect(await listRuns(agent)).toEqual([[id, 'completed']]);
    expect(await listTasks(agent)).toEqual([[id, 'TASK_STATE_COMPLETED']]);
  });

  test('is in the pages where its time puts it, and in the total', async () => {
    const agent = await liveAgent();
    const ended = await startedTask(agent);
    const first = await startedTask(agent);
    await finishInline(ended);
    const last = await startedTask(agent);
    const pages = [await listPage(agent, { pageSize: 1 })];
    for (let token = pages[0]?.nextPageToken; token; token = pages.at(-1)?.nextPageToken)
      pages.push(await listPage(agent, { pageSize: 1, pageToken: token }));
    expect(pages.flatMap(({ tasks }) => tasks.map(({ id }) => id))).toEqual(
      [last, ended, first].map((each) => each.run.run_id),
    );
    expect(pages.map(({ totalSize }) => totalSize)).toEqual([3, 3, 3]);
  });

  test('whose process died is listed as failed once its lease has expired', async () => {
    const agent = await liveAgent();
    const { run_id } = (await startedTask(agent)).run;
    await expireLease(run_id);
    for (const query of [{}, { status: 'failed' }])
      expect(await listRuns(agent, query)).toEqual([[run_id, 'failed']]);
    expect(await listPage(agent, { status: 'TASK_STATE_WORKING' })).toMatchObject({
      tasks: [],
      totalSize: 0,
    });
    for (const params of [{ status: 'TASK_STATE_FAILED' }, {}])
      expect(await listTasks(agent, params)).toEqual([[run_id, 'TASK_STATE_FAILED']]);
    expect(await runState(agent, run_id)).toMatchObject({ status: 'failed' });
  });

  test('whose process died is listed also after its permit has expired and was removed', async () => {
    const agent = await liveAgent();
    const { orgid } = agent;
    const { run_id } = (await startedTask(agent)).run;
    await expireLease(run_id);
    const permit = (n: number) => ({
      use: 'wait' as const,
      ...{ orgid, runId: newRunId(), keyId: `key_${n}`, untilMs: Date.now() + 3_600_000 },
    });
    for (let n = 0; n < tenantLimits().org_waiting_runs; n += 1)
      await acquireRunPermit(permit(n), Date.now() + 600_000);
    expect((await readPermits({ orgid, use: 'wait' })).map(({ runId }) => runId)).not.toContain(run_id);
    expect(await listRuns(agent)).toEqual([[run_id, 'failed']]);
    expect(await listTasks(agent)).toEqual([[run_id, 'TASK_STATE_FAILED']]);
  });

  test('is found by its permit for as long as it is stored', async () => {
    const agent = await liveAgent();
    const { run_id } = (await startedTask(agent)).run;
    const [permits, header] = await Promise.all([
      getItem(runsTable, { pk: `LIMIT#RUNS#${agent.orgid}`, sk: 'SLOTS' }),
      getItem(runsTable, runKey(run_id)),
    ]);
    expect(permits?.ttl).toBeGreaterThanOrEqual(Number(header?.ttl));
  });

  test('whose id another run has had does not start, and keeps no permit', async () => {
    const agent = await liveAgent();
    const scope = { orgid: agent.orgid, use: 'wait' } as const;
    const started = await startedTask(agent);
    const id = started.run.run_id;
    await expect(startedTask(agent, agent, id)).rejects.toMatchObject({ code: 'internal' });
    expect(await readPermits(scope)).toMatchObject([{ runId: id }]);
    await finishInline(started);
    expect(await readPermits(scope)).toMatchObject([{ runId: id }]);
    await expect(startedTask(agent, agent, id)).rejects.toMatchObject({ code: 'internal' });
    expect(await readPermits(scope)).toEqual([]);
  });

  test('of a caller of another organisation is in the list of the workspace from its start, and in no list of that organisation', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const { run_id } = (await startedTask(agent, stranger)).run;
    expect(await listRuns(agent)).toEqual([[run_id, 'pending']]);
    expect(await listTasks(agent)).toEqual([]);
    const own = await liveAgent({}, stranger);
    expect(await listRuns(own)).toEqual([]);
    expect(await listTasks(own)).toEqual([]);
    expect(await listTasks(agent, {}, stranger.key)).toEqual([[run_id, 'TASK_STATE_WORKING']]);
  });

  test('of a caller of another organisation whose process died is listed as failed once its lease has expired', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const [dead, living] = [await startedTask(agent, stranger), await startedTask(agent, stranger)];
    for (const { run } of [dead, living]) await startedEarlier(run.run_id, 60_000);
    await expireLease(dead.run.run_id);
    const states = new Map((await listRuns(agent)).map(([id, status]) => [id, status]));
    expect(states.get(dead.run.run_id)).toBe('failed');
    expect(states.get(living.run.run_id)).toBe('pending');
    expect(await listRuns(agent, { status: 'failed' })).toEqual([[dead.run.run_id, 'failed']]);
    expect(await listRuns(agent, { flowid: agent.flowid, status: 'pending' })).toEqual([
      [living.run.run_id, 'pending'],
    ]);
  });

  test('is a task of the key that has sent the message, and of no other key of its organisation', async () => {
    const agent = await liveAgent();
    const { run_id } = (await startedTask(agent)).run;
    const other = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid] });
    expect(await listTasks(agent, {}, other.key)).toEqual([]);
    expect(await listTasks(agent)).toEqual([[run_id, 'TASK_STATE_WORKING']]);
  });
});

test('a run whose last event an earlier version of the service has stored as an item is shown with it', async () => {
  const agent = await liveAgent();
  const { orgid, workspaceid, flowid, id: caller_id } = agent;
  const old = run({
    ...{ run_id: newRunId(), orgid, workspaceid, flowid, caller_id, caller_orgid: orgid, generation: 0 },
    ...{ trigger: 'a2a', ttl: Math.floor(Date.now() / 1_000) + 3_600 },
  });
  await insertRun(old);
  const at = new Date().toISOString();
  const event = { generation: 1, at, status: 'completed', response: '{"answer":"Hello"}' };
  await putItem(runsTable, { ...runKey(old.run_id, 1), ...event });
  await updateItem(runsTable, runKey(old.run_id), {
    UpdateExpression: 'SET generation = :one, #status = :status, updated_at = :at, status_timestamp = :at',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':one': 1, ':status': 'completed', ':at': at },
  });
  expect(await runState(agent, old.run_id)).toMatchObject({
    status: 'completed',
    response: { answer: 'Hello' },
  });
  const { tasks } = z
    .object({ tasks: z.array(z.looseObject({ id: z.string() })) })
    .parse((await rpc(agentUrls(agent).live, agent.key, 'ListTasks', { includeArtifacts: true })).result);
  expect(tasks).toMatchObject([{ id: old.run_id, artifacts: [{ parts: [{ text: 'Hello' }] }] }]);
});
