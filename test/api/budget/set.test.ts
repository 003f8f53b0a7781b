import { describe, expect, test } from 'vitest';
import { budgetCheckMs, requireModelBudget } from '#lib/usage/check-budget.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { runState, startedRun, startRun } from '#test/support/run-calls.ts';
import { endedRun, used } from '#test/support/usage.ts';

const now = () => new Date().toISOString();
const set = (caller: TestCaller, body: object, query = {}) =>
  call('setBudget', { key: caller.key, query, body });

/** Asks a model twice, with two scripts. */
const asking = (second: string) =>
  flow({
    models: scriptedModels,
    start: 'ask',
    nodes: {
      ask: {
        type: 'llm',
        prompt: '{{ input.message }}',
        next: 'again',
        catch: [{ on: ['*'], next: 'again' }],
      },
      again: { type: 'llm', prompt: second, next: 'done' },
      done: { type: 'end', output: { answer: '{{ nodes.again }}' } },
    },
  });

const trigger = ({ key, workspaceid, flowid }: TestAgent, environment = 'live') =>
  call('triggerFlow', {
    key,
    params: { workspace_id: workspaceid, trigger_id: flowid, environment },
    body: { message: 'hello' },
  });
const exhausted = { code: 'budget_exhausted', status: 429 };

describe('200', () => {
  test('a budget shows what was spent this month, and its state', async () => {
    const caller = await newCaller();
    await endedRun(caller, now(), [used({ cost: 8 })]);
    await endedRun(caller, '2026-01-31T12:00:00.000Z', [used({ cost: 100 })]);
    const budget = { warn_percent: 80, stop: true, month: now().slice(0, 7), spent: 8, currency: 'USD' };
    const since = expect.stringMatching(/^20.*Z$/);
    const { body } = await set(caller, { monthly_limit: 10.5 });
    expect(body).toEqual({ ...budget, monthly_limit: 10.5, state: 'ok' });
    const warning = (await set(caller, { monthly_limit: 10 })).body;
    expect(warning).toMatchObject({ state: 'warning', warning_since: since });
    expect(warning).not.toHaveProperty('exhausted_since');
    expect((await set(caller, { monthly_limit: 8 })).body).toMatchObject({
      state: 'exhausted',
      warning_since: warning.warning_since,
      exhausted_since: since,
    });
    const [listed] = (await call('listBudgets', { key: caller.key })).body.items;
    expect(listed).toMatchObject({ warning_since: warning.warning_since, exhausted_since: since });
    expect((await set(caller, { monthly_limit: 100 })).body).not.toHaveProperty('warning_since');
    const { workspaceid } = caller;
    expect((await set(caller, { monthly_limit: 9, warn_percent: 100 }, { workspaceid })).body).toEqual({
      ...budget,
      workspaceid,
      monthly_limit: 9,
      warn_percent: 100,
      state: 'ok',
    });
  });

  test.each(['live', 'test'])(
    'an exhausted budget refuses triggers in %s, and a higher one admits them',
    async (environment) => {
      const agent = await liveAgent();
      await newRow(agent, { flowid: agent.flowid });
      await endedRun(agent, now(), [used({ cost: 1 })]);
      await set(agent, { monthly_limit: 1 });
      expect((await trigger(agent, environment)).problem).toMatchObject(exhausted);
      expect((await startRun(agent)).problem).toMatchObject(exhausted);
      await set(agent, { monthly_limit: 2 });
      expect((await trigger(agent, environment)).body.status).toBe('completed');
      await set(agent, { monthly_limit: 1, stop: false });
      expect((await trigger(agent, environment)).body.status).toBe('completed');
    },
  );

  test('a limit is rounded to billionths of a dollar, which is zero for the smallest numbers of JSON', async () => {
    const caller = await newCaller();
    const limitOf = async (monthly_limit: number) =>
      (await set(caller, { monthly_limit })).body.monthly_limit;
    expect(await limitOf(0.123_456_789_4)).toBe(0.123_456_789);
    expect(await limitOf(5e-324)).toBe(0);
    expect(await limitOf(1_000_000_000)).toBe(1_000_000_000);
  });

  test('the budget of a workspace stops that one alone, and that of an organisation all of its own', async () => {
    const one = await liveAgent();
    const other = await liveAgent({}, { ...one, workspaceid: 'ws_other' });
    const stranger = await liveAgent(
      { flowid: one.flowid },
      { ...(await newCaller()), workspaceid: one.workspaceid },
    );
    await endedRun(one, now(), [used({ cost: 1 })]);
    await set(one, { monthly_limit: 1 }, { workspaceid: one.workspaceid });
    expect((await trigger(one)).problem).toMatchObject(exhausted);
    expect((await trigger(other)).status).toBe(200);
    await set(one, { monthly_limit: 1 });
    expect((await trigger(other)).problem).toMatchObject(exhausted);
    expect((await trigger(stranger)).status).toBe(200);
  });

  test('a running run ends at its next call of a model, which no catch prevents', async () => {
    const [first, second] = [newModelScript(), newModelScript()];
    const agent = await liveAgent({ flow: asking(second.prompt) });
    const workflow_id = await startedRun(agent, first.prompt);
    await first.say('Hel');
    await set(agent, { monthly_limit: 0 });
    await first.end();
    await idle();
    const run = await runState(agent, workflow_id);
    expect(run).toMatchObject({ status: 'failed', failure: { code: 'limit.budget', node_id: 'again' } });
  });

  test('what runs spend is added up again after 30 seconds, by one process, and ends at the month', async () => {
    const caller = await newCaller();
    await set(caller, { monthly_limit: 1 });
    await endedRun(caller, now(), [used({ cost: 1 })]);
    const start = Date.now();
    await requireModelBudget(caller, start + 1);
    const later = start + budgetCheckMs + 1;
    await expect(requireModelBudget(caller, later)).rejects.toMatchObject({ code: 'limit.budget' });
    await expect(requireModelBudget(caller, later + 1)).rejects.toMatchObject({ code: 'limit.budget' });
    await requireModelBudget(caller, start + 40 * 86_400_000);
  });

  test('budgets that are set at the same time are all set', async () => {
    const caller = await newCaller();
    const all = ['ws_a', 'ws_b', 'ws_c', 'ws_d'];
    await Promise.all(all.map((workspaceid) => set(caller, { monthly_limit: 1 }, { workspaceid })));
    const { items } = (await call('listBudgets', { key: caller.key })).body;
    expect(items.map(({ workspaceid }) => workspaceid)).toEqual(all);
  });
});

test.each<[body: object, pointer: string]>([
  [{}, '/body/monthly_limit'],
  [{ monthly_limit: -1 }, '/body/monthly_limit'],
  [{ monthly_limit: '10' }, '/body/monthly_limit'],
  [{ monthly_limit: 1, warn_percent: 0 }, '/body/warn_percent'],
  [{ monthly_limit: 1, warn_at: 80 }, '/body/warn_at'],
])('400 names the field: %o', async (body, pointer) => {
  expect((await set(await newCaller(), body)).problem).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer }],
  });
});

test('403: without the permission, for another workspace, and for the organisation without all workspaces', async () => {
  const reader = await newCaller({ scopes: ['usage:read'] });
  const limited = await newCaller({ workspaces: ['ws_one'] });
  const body = { monthly_limit: 1 };
  const denied = { code: 'permission_denied' };
  expect((await set(reader, body)).problem).toMatchObject(denied);
  expect((await set(limited, body)).problem).toMatchObject(denied);
  expect((await set(limited, body, { workspaceid: 'ws_other' })).problem).toMatchObject(denied);
  expect((await set(limited, body, { workspaceid: 'ws_one' })).status).toBe(200);
});
