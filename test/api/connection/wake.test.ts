// Runs that wait for a connection, and somebody who stores it: those that need it go on, by themselves and
// once, and no others.
import { describe, expect, test } from 'vitest';
import { batchPut } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { newRunId } from '#lib/ids.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { viewRun } from '#lib/run/state.ts';
import { deleteWaiting, queryWaiting, wakeIfStored } from '#lib/run/wake-waiting.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { cancelRun, runState, startedRun } from '#test/support/run-calls.ts';

const crm = { type: 'http_bearer', hosts: ['api.crm.example'] };

async function needyAgent(connections: object = { crm }, caller?: TestCaller): Promise<TestAgent> {
  return await liveAgent({ flow: flow({ connections: { ...connections } }) }, caller);
}

async function waitingRun(agent: TestAgent): Promise<string> {
  const id = await startedRun(agent);
  await idle();
  expect((await runState(agent, id)).status).toBe('auth_required');
  return id;
}

const readStatus = async (agent: TestAgent, id: string) => {
  await idle();
  return (await runState(agent, id)).status;
};
const awaited = ({ orgid, workspaceid, id }: TestCaller) =>
  ({ orgid, workspaceid, user: id, scope: 'organization', name: 'crm' }) as const;
const waiting = async (caller: TestCaller) => await queryWaiting(awaited(caller), ' ', 500);

describe('once a connection is stored', () => {
  test('the runs that wait for it resume, whatever has started them', async () => {
    const agent = await needyAgent();
    const { body } = await call('acceptWebhook', {
      key: agent.key,
      params: { flow_id: agent.flowid },
      body: { event: 'test' },
    });
    const ids = [await waitingRun(agent), await waitingRun(agent), String(body.triggerId)];
    await putConnection(agent, 'crm', bearer());
    for (const id of ids) {
      expect(await readStatus(agent, id)).toBe('completed');
      const { logs } = await runState(agent, id);
      expect(logs.filter(({ event }) => event === 'run_completed')).toHaveLength(1);
    }
    expect(await waiting(agent)).toEqual([]);
  });

  test('the runs that need no other resume; the rest list what is still missing', async () => {
    const agent = await needyAgent({ crm, mail: crm });
    const id = await waitingRun(agent);
    await putConnection(agent, 'mail', bearer());
    expect(await readStatus(agent, id)).toBe('auth_required');
    await putConnection(agent, 'crm', bearer());
    expect(await readStatus(agent, id)).toBe('completed');
    const other = await needyAgent({ sap: crm, crm }, agent);
    const half = await waitingRun(other);
    await putConnection(agent, 'sap', bearer('hunter2-hunter2', { scope: 'user' }));
    expect(await readStatus(agent, half)).toBe('auth_required');
    await putConnection(agent, 'sap', bearer());
    expect(await readStatus(agent, half)).toBe('completed');
  });

  test('of two missing connections stored in any order, the run resumes with the second', async () => {
    for (const names of [
      ['crm', 'mail'],
      ['mail', 'crm'],
    ]) {
      const agent = await needyAgent({ crm, mail: crm });
      const id = await waitingRun(agent);
      for (const name of names) await putConnection(agent, name, bearer());
      expect(await readStatus(agent, id)).toBe('completed');
    }
  });

  test('runs keep waiting if the value has another type, until the right one is stored', async () => {
    const agent = await needyAgent();
    const id = await waitingRun(agent);
    const basic = {
      type: 'http_basic',
      hosts: crm.hosts,
      credential: { username: 'ada', password: 'hunter2' },
    };
    await putConnection(agent, 'crm', basic);
    expect(await readStatus(agent, id)).toBe('auth_required');
    await putConnection(agent, 'crm', bearer());
    expect(await readStatus(agent, id)).toBe('completed');
  });

  test('more runs than fit on one page resume', async () => {
    const agent = await needyAgent();
    const id = await waitingRun(agent);
    const [item] = await waiting(agent);
    if (!item) throw new Error('The run is not found by what it needs.');
    const gone = Array.from({ length: 230 }, (_, n) => {
      const run_id = newRunId();
      return { ...item, run_id, sk: `0${n}#${run_id}` };
    });
    await batchPut(runsTable, gone);
    await putConnection(agent, 'crm', bearer());
    expect(await readStatus(agent, id)).toBe('completed');
    expect(await waiting(agent)).toEqual([]);
  });
});

describe('no other run resumes:', () => {
  test('a value of one user resumes only the runs of that user', async () => {
    const agent = await needyAgent({ crm: { ...crm, scope: 'user' } });
    const colleague = {
      ...agent,
      ...(await newCaller({ orgid: agent.orgid })),
      workspaceid: agent.workspaceid,
    };
    const [own, foreign] = [await waitingRun(agent), await waitingRun(colleague)];
    await putConnection(agent, 'crm', bearer('mine-mine-mine', { scope: 'user' }));
    expect(await readStatus(agent, own)).toBe('completed');
    const before = await readRun(foreign);
    expect(before).toMatchObject({ status: 'auth_required', generation: 1 });
  });

  test('not in another workspace or organisation, and not for another name', async () => {
    const agent = await needyAgent();
    const id = await waitingRun(agent);
    const stranger = { ...(await newCaller()), workspaceid: agent.workspaceid };
    await putConnection(agent, 'crm2', bearer());
    await putConnection({ ...agent, workspaceid: unique('ws') }, 'crm', bearer());
    await putConnection(stranger, 'crm', bearer());
    await idle();
    expect(await readRun(id)).toMatchObject({ status: 'auth_required', generation: 1 });
  });

  test('a run that was canceled meanwhile stays canceled', async () => {
    const agent = await needyAgent();
    const id = await waitingRun(agent);
    await cancelRun(agent, id);
    await putConnection(agent, 'crm', bearer());
    expect(await readStatus(agent, id)).toBe('canceled');
    expect((await readRun(id))?.generation).toBe(2);
  });
});

test('a value that is stored between the check and the pause of a run is not missed', async () => {
  const agent = await needyAgent();
  const id = await waitingRun(agent);
  // Whoever stores it at that moment finds nobody who waits.
  await deleteWaiting(await waiting(agent));
  await putConnection(agent, 'crm', bearer());
  expect(await readStatus(agent, id)).toBe('auth_required');
  const run = await readRun(id);
  const needs = run && viewRun(run, await readEvents(id)).needs;
  if (!needs) throw new Error('The run needs something.');
  await wakeIfStored(run, needs);
  expect(await readStatus(agent, id)).toBe('completed');
});
