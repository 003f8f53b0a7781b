import { expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

test('204: the budget stops nothing any more, and others stay', async () => {
  const { key, workspaceid, flowid } = await liveAgent();
  await call('setBudget', { key, body: { monthly_limit: 0 } });
  await call('setBudget', { key, query: { workspaceid: 'ws_other' }, body: { monthly_limit: 0 } });
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  const trigger = () => call('triggerFlow', { key, params, body: { message: 'hello' } });
  expect((await trigger()).problem.code).toBe('budget_exhausted');
  expect((await call('deleteBudget', { key })).status).toBe(204);
  expect((await trigger()).status).toBe(200);
  const { items } = (await call('listBudgets', { key })).body;
  expect(items.map((each) => each.workspaceid)).toEqual(['ws_other']);
});

test('404 budget_not_found: where there is none, also if another organisation has one', async () => {
  const other = await newCaller();
  await call('setBudget', { key: other.key, query: { workspaceid: 'ws_a' }, body: { monthly_limit: 1 } });
  const { key } = await newCaller();
  expect((await call('deleteBudget', { key, query: { workspaceid: 'ws_a' } })).problem.code).toBe(
    'budget_not_found',
  );
  expect((await call('deleteBudget', { key })).problem.code).toBe('budget_not_found');
});

test('403: without the permission', async () => {
  const { key } = await newCaller({ scopes: ['usage:read'] });
  expect((await call('deleteBudget', { key })).problem.code).toBe('permission_denied');
});
