// Journeys through the pages of the console about agents and builds, in a real browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { inviteOwner, signInToConsole, consoleUrl as url, widths } from '#test/support/console-page.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;
let foreign: TestAgent;
/** Its first build is live, the second one is not. */
let refunds: { readonly flowid: string; readonly first: string; readonly second: string };
/** Each kind of test has a flow of its own: some promote. */
const refundCard = (some: object = {}) =>
  card({ name: 'Refunds', description: 'Looks an order up and pays it back.', tags: ['money'], ...some });

async function newRefunds(): Promise<typeof refunds> {
  const flowid = unique('refunds');
  const first = await newRow(caller, { flowid, agent_card: refundCard() });
  await promoted(caller, first);
  const second = await newRow(caller, {
    label: 'No more echo',
    flowid,
    agent_card: refundCard({
      skills: [
        {
          id: 'refund',
          name: 'Refund',
          description: 'Pays an order back.',
          tags: ['money'],
          examples: ['Please refund order 17.'],
        },
      ],
    }),
    flow: refundFlow,
  });
  return { flowid, first: first.a2aregistryid, second: second.a2aregistryid };
}

const refundFlow = {
  version: 1,
  name: 'Refunds',
  start: 'amount',
  nodes: {
    amount: { type: 'transform', output: '{{ input.message }}', next: 'done' },
    done: { type: 'end', output: { said: '{{ nodes.amount }}' } },
  },
  tests: [{ name: 'says what it hears', input: { message: '17' }, expect: "{{ response.said = '17' }}" }],
};

beforeAll(async () => {
  [browser, caller, foreign] = await Promise.all([
    startBrowser(),
    newCaller(),
    liveAgent({ visibility: 'public', agent_card: refundCard() }),
  ]);
  email = await inviteOwner(caller);
  refunds = await newRefunds();
  await newRow(caller, {
    agent_card: card({ name: 'Weather', description: 'Tells the weather.', tags: ['sky'] }),
  });
});
afterAll(async () => await browser?.close());

const open = async (page: Page, path: string) => await signInToConsole(page, email, path);
const agents = (page: Page) => page.getByRole('list', { name: 'Agents' }).locator('> li');

describe.each(widths)('%i px wide', (width) => {
  test('every page is accessible and does not scroll sideways', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    const look = async (name: string) => {
      await expectAccessibleInBoth(page, `console-${name}-${width}`);
    };
    await open(page, '/agents');
    await agents(page).first().waitFor();
    await look('agents');
    await page.getByRole('link', { name: 'Refunds' }).click();
    await page.getByRole('heading', { name: 'Addresses' }).waitFor();
    await look('agent');
    await page.getByRole('tab', { name: 'Flow' }).click();
    const isNarrow = width < 720;
    await page.getByRole(isNarrow ? 'list' : 'group', { name: 'Nodes' }).waitFor();
    await look('agent-flow');
    await page.getByRole('tab', { name: 'Builds' }).click();
    await page.getByRole('table', { name: 'Builds' }).waitFor();
    await look('agent-builds');
    await page.getByRole('table').getByText('No more echo').waitFor();
    await page.getByRole('link', { name: 'Build 2' }).click();
    await page.getByRole('heading', { name: 'May break callers' }).waitFor();
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText('1 of 1 passed').waitFor();
    await look('build');
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Differences' }).waitFor();
    if (isNarrow) await page.getByRole('button', { name: 'Picture' }).click();
    await page.getByRole('button', { name: 'amount, transform, Added' }).waitFor();
    await look('compare');
    await close();
  });
});

test('agents are found by words, tag and status, and the address has the filters', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, '/agents');
  await expect.poll(() => agents(page).count()).toBeGreaterThan(1);
  await page.getByRole('searchbox', { name: 'Words' }).fill('order');
  await page.keyboard.press('Enter');
  await expect.poll(() => agents(page).allInnerTexts()).toEqual([expect.stringContaining(refunds.flowid)]);
  expect(page.url()).toBe(url('/agents?q=order'));
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.goto(url('/agents?tag=sky&status=test'));
  await expect.poll(() => agents(page).allInnerTexts()).toEqual([expect.stringContaining('Weather')]);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('live');
  await page.getByText('No agent matches these filters').waitFor();
  await close();
});

test('an agent of another organisation is not shown, even if it is public', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, '/agents?q=order');
  await agents(page).filter({ hasText: refunds.flowid }).waitFor();
  expect(await agents(page).filter({ hasText: foreign.flowid }).count()).toBe(0);
  await page.goto(url(`/agents/${foreign.flowid}`));
  await page.getByText('There is no agent with this id in the workspace').waitFor();
  await close();
});

test('a workspace without agents says how to register one', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const empty = await newCaller();
  const newcomer = await invite({ orgid: empty.orgid, role: 'owner', workspaces: [empty.workspaceid] });
  await signInToConsole(page, newcomer.email, '/agents');
  await page.getByText(`a2a-registry?workspaceid=${empty.workspaceid}`).waitFor();
  await page.getByRole('button', { name: 'Copy' }).waitFor();
  await close();
});

test('a build is promoted with what it breaks in sight, and rolled back where it was promoted', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid, second } = await newRefunds();
  await open(page, `/agents/${flowid}/builds/${second}`);
  await page.getByRole('region', { name: 'May break callers' }).getByText('echo', { exact: true }).waitFor();
  await page.getByText('Build 2 becomes live in place of Build 1').waitFor();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.getByText('Build 1 becomes live again, and build 2 returns to test.').waitFor();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('button', { name: 'Promote' }).waitFor();
  const history = page.getByRole('list', { name: 'History' }).getByRole('listitem');
  await expect
    .poll(async () => (await history.allInnerTexts()).map((text) => text.split('\n')[0]))
    .toEqual(['Rolled back', 'Promoted', 'Created']);
  await close();
});

test('a build that needs more input says so before it is promoted, and what its failed test gave', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('refunds');
  await promoted(caller, await newRow(caller, { flowid, agent_card: refundCard(), flow: refundFlow }));
  const input = { properties: { order_id: { type: 'string' } }, required: ['order_id'] };
  const tests = [
    {
      name: 'says what it hears',
      input: { message: '17', user_variables: { order_id: 'a' } },
      expect: "{{ response.said = '18' }}",
    },
  ];
  const flow = { ...refundFlow, input, tests };
  const { a2aregistryid } = await newRow(caller, { flowid, agent_card: refundCard(), flow });
  await open(page, `/agents/${flowid}/builds/${a2aregistryid}`);
  await page
    .getByRole('region', { name: 'May break callers' })
    .getByText('user_variables.order_id')
    .waitFor();
  await page.getByText('string, required').waitFor();
  await page.getByRole('button', { name: 'Run tests' }).click();
  const outcome = page.getByRole('group', { name: 'How the run of says what it hears ended' });
  await outcome.getByText('said: 17').waitFor();
  await close();
});

test('a promotion that is too late changes nothing and says what happened meanwhile', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid, second } = await newRefunds();
  await open(page, `/agents/${flowid}/builds/${second}`);
  await page.getByText('in place of Build 1').waitFor();
  const third = await newRow(caller, { flowid, agent_card: refundCard() });
  await promoted(caller, third);
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.getByRole('alert').getByText('Build 1 was live. Build 3 is live now.').waitFor();
  await page.getByText('Build 2 becomes live in place of Build 3').waitFor();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.getByRole('button', { name: 'Roll back' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await close();
});

test('who may only read cannot promote, and is told why', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const viewer = await invite({ orgid: caller.orgid, role: 'viewer', workspaces: [caller.workspaceid] });
  await signInToConsole(page, viewer.email, `/agents/${refunds.flowid}/builds/${refunds.second}`);
  await page.getByText('it needs the permission assistants.flows:update').waitFor();
  expect(await page.getByRole('button', { name: 'Promote' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Run tests' }).isDisabled()).toBe(true);
  await close();
});

test('a build of another organisation does not exist', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, `/agents/${foreign.flowid}/builds/${foreign.a2aregistryid}`);
  await page.getByText('There is no build with this id').waitFor();
  expect(await page.getByText('Refunds').count()).toBe(0);
  await close();
});

const desk = {
  type: 'agent',
  title: 'Order desk',
  instructions: 'Help.',
  tools: [{ name: 'find_order', description: 'Finds.', http: { url: 'https://orders.example/' } }],
  catch: [{ on: ['timeout'], next: 'late' }],
  next: 'each',
};
const each = {
  type: 'map',
  items: [1, 2],
  body: { start: 'price', nodes: { price: { type: 'transform', output: '{{ item }}' } } },
  next: 'done',
};
const end = { type: 'end', output: {} };

const deskAgent = async () =>
  await liveAgent(
    {
      flow: {
        version: 1,
        name: 'Desk',
        egress: ['orders.example'],
        start: 'desk',
        nodes: { desk, each, done: end, late: end },
      },
    },
    caller,
  );

test('the picture of a flow is gone through by keyboard, and opens the definition of a node', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await deskAgent();
  await open(page, `/agents/${flowid}?view=flow`);
  const node = (name: string) => page.getByRole('group', { name: 'Nodes' }).getByRole('button', { name });
  await node('Order desk, agent').focus();
  await page.getByText('http: find_order').waitFor();
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
  for (const [key, name] of [
    ['ArrowDown', 'each, map'],
    ['ArrowRight', 'price, transform'],
    ['ArrowUp', 'each, map'],
    ['ArrowDown', 'done, end'],
    ['Home', 'Order desk, agent'],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused()).toBe(name);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Node' }).getByText('"find_order"').waitFor();
  for (const key of ['-', '-', '-', '-']) await page.keyboard.press(key);
  await page.getByText('35 %').waitFor();
  expect(await page.getByText('http: find_order').count()).toBe(0);
  await page.keyboard.press('0');
  await page.getByText('100 %').waitFor();
  expect(await node('done, end').getAttribute('tabindex')).toBe('-1');
  await close();
});

test('the list of a flow names its nodes, its tools and where each node leads', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320 });
  const { flowid } = await deskAgent();
  await open(page, `/agents/${flowid}?view=flow`);
  const node = page.getByRole('list', { name: 'Nodes' }).locator('> li').filter({ hasText: 'agent · desk' });
  await node.getByText('http: find_order').waitFor();
  expect(await node.getByRole('list', { name: 'Leads to' }).getByRole('listitem').allInnerTexts()).toEqual([
    '→ each',
    '→ late on timeout',
  ]);
  await close();
});

test('a flow of 500 nodes is drawn, and its labels are there again when one zooms in', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const nodes = Object.fromEntries(
    Array.from({ length: 499 }, (_, n) => [
      `n${n}`,
      { type: 'transform', output: n, next: n < 498 ? `n${n + 1}` : 'done' },
    ]),
  );
  const { flowid } = await liveAgent(
    { flow: { version: 1, name: 'Long', start: 'n0', nodes: { ...nodes, done: end } } },
    caller,
  );
  await open(page, `/agents/${flowid}?view=flow`);
  await page.getByText('500 nodes').waitFor();
  await page.getByRole('group', { name: 'Nodes' }).getByRole('button', { name: 'n0, transform' }).focus();
  await page.keyboard.press('End');
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('done, end');
  await close();
});
