// Budgets that cannot be read or added up: calls of models go by what this process knows of them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { budgetCheckMs, requireModelBudget } from '#lib/usage/check-budget.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { endedRun, used } from '#test/support/usage.ts';

const failing = { status: 500, error: { __type: 'InternalServerError', message: 'Internal server error' } };
let refused: RegExp | undefined;
let proxy: AwsProxy;
beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  proxy = await startAwsProxy(upstream, (operation, body) =>
    refused?.test(`${operation} ${body.toString()}`) ? failing : 'pass',
  );
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
beforeEach(() => {
  refused = undefined;
});
afterAll(async () => await proxy.close());

test('nothing is stopped while the process has not read the budgets of an organisation', async () => {
  const caller = await newCaller();
  refused = /^GetItem .*BUDGET#/;
  await requireModelBudget(caller, Date.now());
  await call('setBudget', { key: caller.key, body: { monthly_limit: 0 } });
  refused = undefined;
  const later = Date.now() + budgetCheckMs + 1;
  await expect(requireModelBudget(caller, later)).rejects.toMatchObject({ code: 'limit.budget' });
});

test.each([
  ['read', /^GetItem .*BUDGET#/],
  ['added up', /^Query .*USAGE#/],
])('an exhausted budget stays so while it cannot be %s', async (_what, fault) => {
  const caller = await newCaller();
  await endedRun(caller, new Date().toISOString(), [used({ cost: 2 })]);
  await call('setBudget', { key: caller.key, body: { monthly_limit: 1 } });
  const now = Date.now();
  await expect(requireModelBudget(caller, now)).rejects.toMatchObject({ code: 'limit.budget' });
  refused = fault;
  for (const later of [1, 2])
    await expect(requireModelBudget(caller, now + later * (budgetCheckMs + 1))).rejects.toMatchObject({
      code: 'limit.budget',
    });
});
