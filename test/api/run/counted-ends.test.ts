// The metric `Runs` counts a run that is ended from outside as it does one that ends by itself: once, under
// how it ended. What budgets stop is counted too.
import { afterEach, expect, test, vi } from 'vitest';
import { requestLog } from '#lib/log.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { eventFor } from '#test/support/events.ts';
import { context, load } from '#test/support/invocation.ts';
import { storedRuns } from '#test/support/stored-run.ts';
import { endedRun, used } from '#test/support/usage.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function listenToLog(): readonly string[] {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  return printed;
}

/** The lines of the metric that canceling twice prints. */
async function readMetrics({ key, workspaceid: workspace_id }: TestCaller, workflow_id: string) {
  const printed = listenToLog();
  const { handler } = await load(() => import('#functions/run/cancel.ts'));
  const event = eventFor('cancelRun', { key, params: { workspace_id, workflow_id } });
  await Reflect.apply(handler, undefined, [event, context]);
  await Reflect.apply(handler, undefined, [event, context]);
  return printed.filter((line) => line.includes('"Runs"')).map((line) => JSON.parse(line));
}

test.each([
  ['is canceled', { deadline: Date.now() + 60_000 }, 'canceled'],
  ['no worker resumes', { deadline: 1 }, 'failed'],
])('a run that %s is counted once', async (_, some, status) => {
  const caller = await newCaller();
  const [run] = await storedRuns(caller, 1, {
    ...some,
    mode: 'queued',
    status: 'working',
    trigger: 'webhook',
  });
  expect(await readMetrics(caller, run?.run_id ?? '')).toMatchObject([
    { Runs: 1, trigger: 'webhook', status },
  ]);
});

test('a run that ends by itself leaves one line, which names the run and its request', async () => {
  const [run] = await storedRuns(await newCaller(), 1, { trigger: 'a2a' });
  if (!run) throw new Error('Expected a run.');
  const { reportEnd } = await load(() => import('#lib/run/end.ts'));
  const printed = listenToLog();
  reportEnd(requestLog({ request_id: 'request-1', route: 'a2a/call-live' }), run, { status: 'completed' });
  const { run_id, flowid } = run;
  const names = { message: 'run', request_id: 'request-1', route: 'a2a/call-live', run_id, flowid };
  expect(printed.map((line) => JSON.parse(line))).toMatchObject([
    { ...names, Runs: 1, trigger: 'a2a', status: 'completed' },
  ]);
});

test('a budget counts when its state changes, and for each start and each run that it stops', async () => {
  const caller = await newCaller();
  await call('setBudget', { key: caller.key, body: { monthly_limit: 1 } });
  await endedRun(caller, new Date().toISOString(), [used({ cost: 2 })]);
  const { budgetCheckMs, requireBudget, requireModelBudget } = await load(
    () => import('#lib/usage/check-budget.ts'),
  );
  const printed = listenToLog();
  const later = Date.now() + budgetCheckMs + 1;
  await expect(requireModelBudget(caller, later)).rejects.toMatchObject({ code: 'limit.budget' });
  expect(() => requireBudget(caller, caller)).toThrow('is exhausted');
  const { orgid, workspaceid } = caller;
  const stop = { BudgetStops: 1, orgid, workspaceid };
  expect(printed.filter((line) => line.includes('"Budget')).map((line) => JSON.parse(line))).toMatchObject([
    { BudgetStates: 1, state: 'exhausted', orgid, budget: '*' },
    stop,
    stop,
  ]);
});
