import { expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { endedRun, used } from '#test/support/usage.ts';

test('200: lists the budgets of the workspaces of the caller, with what was spent by now', async () => {
  const owner = await newCaller();
  const { key, orgid } = owner;
  expect((await call('listBudgets', { key })).body).toEqual({ items: [] });
  for (const query of [{}, { workspaceid: 'ws_a' }, { workspaceid: 'ws_b' }])
    await call('setBudget', { key, query, body: { monthly_limit: 10 } });
  await endedRun({ ...owner, workspaceid: 'ws_b' }, new Date().toISOString(), [used({ cost: 9 })]);
  const read = async (caller: { readonly key: string }) =>
    (await call('listBudgets', { key: caller.key })).body.items.map((each) => [
      each.workspaceid,
      each.spent,
      each.state,
    ]);
  expect(await read(owner)).toEqual([
    [undefined, 9, 'warning'],
    ['ws_a', 0, 'ok'],
    ['ws_b', 9, 'warning'],
  ]);
  const limited = await newCaller({ orgid, workspaces: ['ws_b'], scopes: ['usage:read'] });
  expect(await read(limited)).toEqual([['ws_b', 9, 'warning']]);
  expect(await read(await newCaller())).toEqual([]);
});

test('403: without the permission', async () => {
  const { key } = await newCaller({ scopes: ['assistants.flows:read'] });
  expect((await call('listBudgets', { key })).problem.code).toBe('permission_denied');
});
