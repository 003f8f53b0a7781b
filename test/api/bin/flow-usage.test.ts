// `agent-flow usage` and `budgets` with a service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { endedRun, readUsage, used } from '#test/support/usage.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

/** With the exit code 0. */
async function done(caller: TestCaller, ...args: string[]) {
  const ran = await home.as(caller, ...args);
  expect(ran.code, ran.printed).toBe(0);
  return ran;
}

const lines = ({ output }: { readonly output: string }) => output.trimEnd().split('\n');
const range = ['--from', '2026-09-01', '--to', '2026-10-31'];

/** Two workspaces on two days of two months. Its profile names a workspace that has used nothing. */
async function recorded(): Promise<TestCaller> {
  const all = await newCaller();
  const large = used({ model: 'test/large', input: 1_234_567, cached: 1_000, cost: 12.34567 });
  await endedRun({ ...all, workspaceid: 'ws_one' }, '2026-09-30T12:00:00.000Z', [used(), large], {
    flowid: 'triage',
  });
  const free = { model: 'test/free', input: 7, output: 1 };
  await endedRun({ ...all, workspaceid: 'ws_other' }, '2026-10-01T12:00:00.000Z', [used(), free], {
    flowid: 'answer',
    caller_orgid: 'org_of_a_caller',
  });
  return all;
}

describe.concurrent('usage', () => {
  test('is shown by day with totals, in all workspaces, with numbers aligned to the right', async () => {
    const ran = await done(await recorded(), 'usage', ...range);
    expect(lines(ran)).toEqual([
      'PERIOD      CALLS      INPUT  CACHED  CACHE WRITE  OUTPUT      COST',
      '2026-09-30      2  1,234,667   1,000            0      20  $12.3462',
      '2026-10-01      2        107       0            0      11   $0.0005',
      'TOTAL           4  1,234,774   1,000            0      31  $12.3467',
    ]);
    expect(ran.printed).toContain('1 call is not in the cost: the service has no price of the model.');
  });

  test.each([
    ['workspace', ['PERIOD WORKSPACE CALLS', '2026-09 ws_one 2', '2026-10 ws_other 2', 'TOTAL 4']],
    ['flow', ['PERIOD WORKSPACE FLOW', '2026-09 ws_one triage', '2026-10 ws_other answer', 'TOTAL 4']],
    [
      'model',
      [
        'PERIOD MODEL CALLS',
        '2026-09 test/large 1',
        '2026-09 test/small 1',
        '2026-10 test/free 1',
        '2026-10 test/small 1',
        'TOTAL 4',
      ],
    ],
  ])('is shown by month and %s', async (group, begins) => {
    const ran = await done(await recorded(), 'usage', ...range, '--by', 'month', '--group', group);
    const printed = lines(ran).map((line) => line.replaceAll(/ +/g, ' '));
    expect(printed).toEqual(begins.map((begin) => expect.stringMatching(new RegExp(`^${begin} `))));
  });

  test('by key names no key of another organisation', async () => {
    const caller = await recorded();
    const [, own, foreign] = lines(await done(caller, 'usage', ...range, '--group', 'key'));
    expect(own).toMatch(new RegExp(`^2026-09-30 +${caller.id} `));
    expect(foreign).toMatch(/^2026-10-01 +\(another organisation\) /);
  });

  test('of one workspace is what --workspace says, and not the profile', async () => {
    const ran = await done(await recorded(), 'usage', ...range, '--workspace', 'ws_other');
    expect(lines(ran)).toHaveLength(3);
    expect(ran.output).toContain('2026-10-01');
  });

  test('with --json is the rows of the API, of all pages', async () => {
    const caller = await newCaller();
    // A page has at most 200 rows.
    const models = Array.from({ length: 210 }, (_, index) => used({ model: `test/m${index}` }));
    for (let start = 0; start < models.length; start += 15)
      await endedRun(caller, '2026-10-01T12:00:00.000Z', models.slice(start, start + 15));
    const { json } = await done(caller, 'usage', ...range, '--group', 'model', '--json');
    const from = { from: '2026-09-01', to: '2026-10-31' };
    expect(json().items).toHaveLength(210);
    expect(json().items.slice(0, 200)).toEqual(
      await readUsage(caller, { ...from, group: 'model', limit: '200' }),
    );
  });

  test('that is none is said on stderr, and is an empty list with --json', async () => {
    const caller = await newCaller();
    const ran = await done(caller, 'usage');
    expect([ran.output, ran.printed]).toEqual(['', 'No calls of models were recorded on these days.\n']);
    expect((await done(caller, 'usage', '--json')).json()).toEqual({ items: [] });
  });

  test('of another organisation is not there', async () => {
    await recorded();
    const stranger = await newCaller();
    for (const more of [[], ['--workspace', 'ws_one'], ['--group', 'key']])
      expect((await done(stranger, 'usage', ...range, '--json', ...more)).json()).toEqual({ items: [] });
  });
});

const listed = async (caller: TestCaller) => (await done(caller, 'budgets', 'list', '--json')).json().items;

describe.concurrent('budgets', () => {
  test('are set, listed with what was spent, replaced and removed', async () => {
    const caller = { ...(await newCaller()), workspaceid: 'ws_main' };
    const month = new Date().toISOString().slice(0, 7);
    await endedRun(caller, new Date().toISOString(), [used({ cost: 9 })]);
    expect((await done(caller, 'budgets', 'set', '10')).output).toBe(
      `The models of ws_main may cost $10.00 a month. At the limit, they are called no more. Spent in ${month}: $9.00 (warning).\n`,
    );
    expect(
      (await done(caller, 'budgets', 'set', '1234.5', '--organization', '--no-stop', '--warn', '50')).output,
    ).toBe(
      `The models of the organisation may cost $1,234.50 a month. Beyond the limit, they are still called. Spent in ${month}: $9.00 (ok).\n`,
    );
    expect(lines(await done(caller, 'budgets', 'list'))).toEqual([
      'WORKSPACE       MONTH    STATE    AT LIMIT  WARN AT      LIMIT  SPENT',
      `(organisation)  ${month}  ok       warn          50%  $1,234.50  $9.00`,
      `ws_main         ${month}  warning  stop          80%     $10.00  $9.00`,
    ]);
    const set = (await done(caller, 'budgets', 'set', '5', '--workspace', 'ws_main', '--json')).json();
    expect(set).toMatchObject({ workspaceid: 'ws_main', monthly_limit: 5, state: 'exhausted' });
    expect(await listed(caller)).toEqual([expect.objectContaining({ monthly_limit: 1234.5 }), set]);
    expect((await done(caller, 'budgets', 'remove', '--organization')).output).toBe(
      'The budget of the organisation is removed.\n',
    );
    expect((await done(caller, 'budgets', 'remove', '--json')).json()).toEqual({
      removed: { workspaceid: 'ws_main' },
    });
    const none = await done(caller, 'budgets', 'list');
    expect([none.output, none.printed]).toEqual(['', 'There are no budgets.\n']);
  });

  test('of another organisation are neither listed, changed nor removed', async () => {
    const caller = await newCaller();
    await done(caller, 'budgets', 'set', '10');
    const before = await listed(caller);
    const stranger = { ...(await newCaller()), workspaceid: caller.workspaceid };
    expect(await listed(stranger)).toEqual([]);
    const removed = await home.as(stranger, 'budgets', 'remove', '--json');
    expect([removed.code, JSON.parse(removed.printed).error.code]).toEqual([4, 'budget_not_found']);
    await done(stranger, 'budgets', 'set', '1', '--no-stop');
    expect(await listed(caller)).toEqual(before);
  });
});

describe.concurrent('what is wrong is reported', () => {
  test.each([
    ['a day that is none', ['usage', '--from', '2026-02-30'], 'Expected a day such as 2027-01-31.'],
    ['a time instead of a day', ['usage', '--to', '2026-11-01T00:00:00Z'], 'Expected a day such as'],
    ['another period', ['usage', '--by', 'year'], 'Allowed choices are day, month.'],
    ['another group', ['usage', '--group', 'user'], 'Allowed choices are workspace, flow, key, model.'],
    ['no amount', ['budgets', 'set'], "missing required argument 'dollars'"],
    ['an amount that is none', ['budgets', 'set', '$5'], 'Expected US dollars such as 250 or 0.50.'],
    ['a part of a cent', ['budgets', 'set', '0.005'], 'Expected US dollars such as 250 or 0.50.'],
    ['no percentage', ['budgets', 'set', '5', '--warn', '101'], 'Expected a percentage, 1 to 100.'],
    [
      'a workspace and the organisation',
      ['budgets', 'set', '5', '--organization', '--workspace', 'ws_a'],
      "option '--organization' cannot be used with option '--workspace <id>'",
    ],
  ])('%s, before anything is done, with exit code 2', async (_what, args, text) => {
    const caller = await newCaller();
    const { code, printed } = await home.as(caller, ...args);
    expect([code, printed]).toEqual([2, expect.stringContaining(text)]);
    expect(await listed(caller)).toEqual([]);
  });

  test('a budget for which nothing names a workspace, with exit code 2', async () => {
    const env = { AGENT_FLOW_URL: serviceUrl(), AGENT_FLOW_KEY: (await newCaller()).key };
    for (const args of [['set', '5'], ['remove']]) {
      const { code, printed } = await home.run(['budgets', ...args], env);
      expect([code, printed]).toEqual([2, expect.stringContaining('names no workspace: add --workspace')]);
    }
  });

  test.each([
    [['usage', '--from', '2026-11-02', '--to', '2026-11-01'], '/query/from: '],
    [['usage', '--from', '2026-01-01', '--to', '2026-11-01'], '/query/from: '],
    [['usage', '--workspace', 'no workspace'], '/query/workspaceid: '],
    [['budgets', 'set', '9999999999'], '/body/monthly_limit: '],
    [['budgets', 'remove'], 'budget_not_found'],
  ])('what the service refuses, with exit code 4: %o', async (args, text) => {
    const { code, printed } = await home.as(await newCaller(), ...args);
    expect([code, printed]).toEqual([4, expect.stringContaining(text)]);
  });

  test('a key without the permission or for another workspace, with exit code 3', async () => {
    const orgid = unique('org');
    const reader = await newCaller({ orgid, scopes: ['usage:read'] });
    const limited = await newCaller({ orgid, workspaces: ['ws_a'] });
    const none = await newCaller({ orgid, scopes: ['assistants.flows:read'] });
    expect((await home.as(none, 'usage')).code).toBe(3);
    expect((await home.as(none, 'budgets', 'list')).code).toBe(3);
    expect((await home.as(limited, 'usage', '--workspace', 'ws_b')).code).toBe(3);
    expect((await home.as(limited, 'budgets', 'set', '5', '--organization')).code).toBe(3);
    for (const args of [['set', '5'], ['remove']])
      expect((await home.as(reader, 'budgets', ...args)).code).toBe(3);
    expect(await listed(reader)).toEqual([]);
  });
});
