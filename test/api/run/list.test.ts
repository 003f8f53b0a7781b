import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import type { BodyOf } from '#test/support/client.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, failingFlow, liveAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { storedRuns } from '#test/support/stored-run.ts';
import { newTrigger } from '#test/support/triggers.ts';

type Query = Readonly<Record<string, string | readonly string[]>>;
const list = (caller: Pick<TestCaller, 'key' | 'workspaceid'>, query: Query = {}) =>
  call('listRuns', { key: caller.key, query: { workspaceid: caller.workspaceid, ...query } });
const readIds = ({ items }: BodyOf<'listRuns'>) => items.map(({ workflow_id }) => workflow_id);

/** All pages, and how many they were. */
async function pages(caller: TestCaller, query: Query) {
  const ids: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await list(caller, { ...query, ...(cursor !== undefined && { cursor }) });
    ids.push(readIds(body));
    cursor = body.nextCursor;
    if (cursor === undefined) return ids;
  }
}

describe('200', () => {
  test('runs of a workspace are listed newest first, each with its trigger', async () => {
    const agent = await liveAgent();
    const first = await startedRun(agent);
    const second = await startedRun(agent);
    await idle();
    const { body } = await list(agent);
    expect(readIds(body)).toEqual([second, first]);
    expect(body.items[0]).toEqual({
      workflow_id: second,
      status: 'completed',
      trigger: 'background',
      trigger_id: agent.flowid,
      environment: 'live',
      flowid: agent.flowid,
      a2aregistryid: agent.a2aregistryid,
      build_no: 1,
      created_by: agent.id,
      caller_organization: 'own',
      created_at: expect.any(String),
      ended_at: expect.any(String),
    });
  });

  test('filters select runs, and combine', async () => {
    const caller = await newCaller();
    const fine = await liveAgent({}, caller);
    const broken = await liveAgent({ flow: failingFlow() }, caller);
    const asking = await liveAgent({ flow: askingFlow() }, caller);
    const [good, bad, open] = [await startedRun(fine), await startedRun(broken), await startedRun(asking)];
    await idle();
    const found = async (query: Query) => readIds((await list(caller, query)).body);
    expect(await found({ flowid: broken.flowid })).toEqual([bad]);
    expect(await found({ a2aregistryid: fine.a2aregistryid })).toEqual([good]);
    expect(await found({ status: 'failed' })).toEqual([bad]);
    expect(await found({ status: 'input_required', trigger: 'background' })).toEqual([open]);
    expect(await found({ status: ['input_required', 'failed'] })).toEqual([open, bad]);
    expect(await found({ flowid: fine.flowid, status: 'failed' })).toEqual([]);
    expect(await found({ trigger: 'webhook' })).toEqual([]);
    expect(await found({ environment: 'PROD' })).toHaveLength(3);
    expect(await found({ environment: 'test' })).toEqual([]);
  });

  test('the runs of one trigger are distinguished from those of other triggers of its kind', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { kind: 'background' });
    const [own, declared] = [await startedRun(agent), await startedRun({ ...agent, flowid: trigger_id })];
    const found = async (query: Query) => readIds((await list(agent, query)).body);
    expect(await found({ trigger_id })).toEqual([declared]);
    expect(await found({ trigger_id: agent.flowid })).toEqual([own]);
    expect(await found({ trigger_id, trigger: 'webhook' })).toEqual([]);
  });

  test('from and to limit the start of runs, both inclusive, with any UTC offset', async () => {
    const caller = await newCaller();
    const runs = await storedRuns(caller, 5);
    const at = (n: number) => runs[n]?.created_at ?? '';
    const found = async (query: Query) => readIds((await list(caller, query)).body);
    const ids = runs.map(({ run_id }) => run_id).reverse();
    expect(await found({ from: at(1), to: at(3) })).toEqual(ids.slice(1, 4));
    expect(await found({ from: at(2).replace('Z', '+00:00') })).toEqual(ids.slice(0, 3));
    expect(await found({ from: at(3), to: at(1) })).toEqual([]);
  });

  test.each([1, 2, 3, 7])('pages of %i have every run exactly once', async (limit) => {
    const caller = await newCaller();
    const runs = await storedRuns(caller, 7);
    const all = await pages(caller, { limit: String(limit) });
    expect(all.flat()).toEqual(runs.map(({ run_id }) => run_id).reverse());
    expect(all.every((page) => page.length <= limit)).toBe(true);
  });

  test('an abandoned run is listed as failed', async () => {
    const caller = await newCaller();
    await storedRuns(caller, 1, { status: 'working', deadline: 1 });
    expect((await list(caller, { status: 'failed' })).body.items).toHaveLength(1);
    expect((await list(caller, { status: 'pending' })).body.items).toEqual([]);
  });

  test('the Link header has the URL of the next page', async () => {
    const caller = await newCaller();
    await storedRuns(caller, 2);
    const { headers, body } = await list(caller, { limit: '1' });
    expect(headers.get('link')).toContain(`cursor=${body.nextCursor}`);
  });
});

describe('400', () => {
  test.each([
    ['status', 'broken'],
    ['trigger', 'cron'],
    ['from', 'yesterday'],
    ['environment', 'staging'],
    ['limit', '0'],
    ['created_by', ''],
    ['replay_of', 'x'],
    ['fork_of', 'x'],
  ])('%s=%s is reported', async (name, value) => {
    const { problem } = await list(await newCaller(), { [name]: value });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/query/${name}`]);
  });

  test('a cursor of another query or another caller is refused', async () => {
    const caller = await newCaller();
    await storedRuns(caller, 3);
    const cursor = (await list(caller, { limit: '1' })).body.nextCursor ?? '';
    const other = { ...(await newCaller({ orgid: caller.orgid })), workspaceid: caller.workspaceid };
    for (const { problem } of [
      await list(caller, { cursor, status: 'failed' }),
      await list(other, { cursor }),
      await list(caller, { cursor: 'x' }),
    ])
      expect(problem.errors?.[0]?.pointer).toBe('/query/cursor');
  });
});

describe('403', () => {
  test('a key for other workspaces, and one without the permission to read', async () => {
    const agent = await liveAgent();
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    expect((await list({ ...agent, key: elsewhere.key })).problem.code).toBe('permission_denied');
    const runner = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:run'] });
    expect((await list({ ...agent, key: runner.key })).problem.detail).toContain('assistants.flows:read');
  });
});
