// Journeys through the editor of flows, in a real browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { card, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { inviteOwner, signInToConsole, consoleUrl as url, widths } from '#test/support/console-page.ts';
import { invite } from '#test/support/person.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;

const flow = {
  version: 1,
  name: 'Refunds',
  state: { paid: false },
  start: 'amount',
  nodes: {
    amount: { type: 'transform', output: '{{ $number(input.message) }}', next: 'which' },
    which: {
      type: 'switch',
      cases: [{ when: '{{ nodes.amount > 100 }}', next: 'large' }],
      default: 'done',
    },
    large: { type: 'transform', output: 'large', next: 'done' },
    done: { type: 'end', output: { said: '{{ nodes.amount }}' } },
  },
  tests: [{ name: 'pays a small amount', input: { message: '17' }, expect: '{{ response.said = 17 }}' }],
};

const newAgent = async (): Promise<{ readonly flowid: string; readonly build: string }> => {
  const flowid = unique('refunds');
  const agent_card = card({ name: 'Refunds', description: 'Pays an order back.', tags: ['money'] });
  const row = await newRow(caller, { flowid, agent_card, flow, env_variable: { LIMIT: '100' } });
  return { flowid, build: row.a2aregistryid };
};

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  email = await inviteOwner(caller);
});
afterAll(async () => await browser?.close());

const field = (page: Page) => page.getByRole('textbox', { name: 'Flow as text' });
const problems = (page: Page) => page.getByRole('list', { name: 'Mistakes and warnings' });

async function open(page: Page, path: string): Promise<void> {
  await signInToConsole(page, email, path);
  await field(page).waitFor();
  await page.getByText('No mistakes, no warnings.').waitFor();
}

/** By keyboard: the search of the editor, which is loaded by then, chooses the text, and typing replaces it. */
async function replace(page: Page, text: string, by: string): Promise<void> {
  await field(page).focus();
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find' }).waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.insertText(by);
}

async function replaceAll(page: Page, text: string): Promise<void> {
  await field(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

const selected = (page: Page) =>
  field(page).evaluate((each) => {
    const root = each.getRootNode() as unknown as { getSelection: () => { toString: () => string } };
    return root.getSelection().toString();
  });

describe.each(widths)('%i px wide', (width) => {
  test('the editor is accessible with a mistake, and a new agent can be written', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    const { flowid } = await newAgent();
    await open(page, `/agents/${flowid}/edit`);
    await replace(page, '"next": "which"', '"next": "witch"');
    await problems(page).getByRole('button').first().waitFor();
    await page.getByText('1 mistake').first().waitFor();
    await expectAccessibleInBoth(page, `console-editor-${width}`);
    await page.goto(url('/new-agent'));
    await page.getByRole('heading', { name: 'New agent' }).waitFor();
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText('2 of 2 passed').waitFor();
    await expectAccessibleInBoth(page, `console-new-agent-${width}`);
    await close();
  });
});

test('a mistake is shown at its place, and leads there, by keyboard', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  await replace(page, '"next": "which"', '"next": "witch"');
  const mistake = problems(page).getByRole('button', { name: '/nodes/amount/next' });
  await mistake.waitFor();
  await page.locator('.cm-lintRange-error', { hasText: '"next"' }).waitFor();
  await page.getByRole('button', { name: 'amount, transform, 1 mistake' }).waitFor();
  expect(await page.getByRole('button', { name: 'Register build' }).isDisabled()).toBe(true);
  await mistake.focus();
  await page.keyboard.press('Enter');
  expect(await field(page).evaluate((each) => each.matches(':focus'))).toBe(true);
  expect(await selected(page)).toBe('"next"');
  await close();
});

test('the ids of nodes are completed in an expression, by keyboard', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  await replace(page, 'nodes.amount > 100', 'nodes.');
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: 'amount', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await close();
});

test('regular expressions, which are loaded with the first flow that has one, are checked and tested', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  await replace(page, '$number(input.message)', "$number($replace(input.message, /(?=1)/, ''))");
  await problems(page).getByRole('button', { name: '/nodes/amount/output' }).waitFor();
  await replace(page, '(?=1)', '[a-z]');
  await page.getByText('No mistakes, no warnings.').waitFor();
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.getByText('1 of 1 passed').waitFor();
  await close();
});

test('a flow is changed, tested and registered; the new build has the card and variables of the old one', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid, build } = await newAgent();
  await open(page, `/agents/${flowid}/edit?from=${build}`);
  await replace(page, 'response.said = 17', 'response.said = 18');
  await page.getByText('A draft of yours is shown.').waitFor();
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.getByText('0 of 1 passed').waitFor();
  await page.getByText('amount → which → done').waitFor();
  const outcome = page.getByRole('group', { name: 'How the run of pays a small amount ended' });
  await outcome.getByText('said: 17').waitFor();
  await replace(page, 'response.said = 18', 'response.said = 17');
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.getByText('1 of 1 passed').waitFor();
  await page.getByRole('button', { name: 'Show path: pays a small amount' }).click();
  await page.getByRole('button', { name: 'which, switch, Step 2 of the test' }).waitFor();
  await page.getByRole('textbox', { name: 'Label' }).fill('Small change');
  await page.getByRole('button', { name: 'Register build' }).click();
  await page.getByRole('heading', { name: 'Refunds, build 2' }).waitFor();
  await page.getByRole('button', { name: 'Promote' }).waitFor();
  await page.getByText('LIMIT').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByText('From build 2').waitFor();
  expect(await page.getByText('A draft of yours is shown.').count()).toBe(0);
  await close();
});

test('a draft survives a reload, is warned of when its build has moved on, and is discarded', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  await replace(page, '"name": "Refunds"', '"name": "Paybacks"');
  await page.reload();
  await field(page).getByText('"Paybacks"').waitFor();
  await newRow(caller, { flowid, agent_card: card({ name: 'Refunds' }), flow });
  await page.reload();
  await page.getByText('The draft began from build 1; this page is now about build 2').waitFor();
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard draft' }).click();
  await field(page).getByText('"Refunds"').waitFor();
  expect(await page.getByText('A draft of yours is shown.').count()).toBe(0);
  await close();
});

test('what only the service finds is shown at its place when the build is registered', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  const coded = { type: 'code', code: 'return (1;', next: 'which' };
  await replaceAll(page, JSON.stringify({ ...flow, nodes: { ...flow.nodes, amount: coded } }));
  await page.getByRole('button', { name: 'Register build' }).click();
  await problems(page).getByRole('button', { name: '/nodes/amount/code' }).waitFor();
  await close();
});

test('a flow in YAML is checked, drawn and registered as a new agent', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('echo');
  await open(page, '/new-agent');
  await replaceAll(page, 'version: 1\nname: Echo\nstart: done\nnodes:\n  done:\n    type: ends\n');
  await problems(page).getByRole('button', { name: '/nodes/done/type' }).getByText('Line 6').waitFor();
  await replaceAll(
    page,
    'version: 1\nname: Echo\nstart: done\nnodes:\n  done:\n    type: end\n    output:\n      said: "{{ input.message }}"\n',
  );
  await page.getByRole('button', { name: 'done, end' }).waitFor();
  await page.getByRole('textbox', { name: 'Flow id' }).fill(flowid);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Echo');
  await page.getByRole('button', { name: 'Register build' }).click();
  await page.getByRole('heading', { name: 'Echo, build 1' }).waitFor();
  await page.goto(url('/new-agent'));
  await page.getByRole('textbox', { name: 'Flow id' }).fill(flowid);
  await page.getByRole('button', { name: 'Register build' }).click();
  await page.getByRole('alert').getByText('There is an agent with the id').waitFor();
  await close();
});

test('who may only read sees the flow and the reason, and cannot change it', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  const viewer = await invite({ orgid: caller.orgid, role: 'viewer', workspaces: [caller.workspaceid] });
  await signInToConsole(page, viewer.email, `/agents/${flowid}/edit`);
  await page.getByText('your role lacks the permission assistants.flows:create').first().waitFor();
  await field(page).focus();
  await page.keyboard.type('x');
  await page.getByText('No mistakes, no warnings.').waitFor();
  expect(await page.getByRole('button', { name: 'Register build' }).count()).toBe(0);
  await close();
});

test('another window of the browser takes no draft away', async () => {
  const { page, context, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  await replace(page, '"name": "Refunds"', '"name": "Paybacks"');
  const other = await context.newPage();
  await other.goto(url(`/agents/${flowid}/edit`));
  await field(other).getByText('"Paybacks"').waitFor();
  await replace(other, '"name": "Paybacks"', '"name": "Returns"');
  await page.getByText('Another window of this browser edits the flow too.').waitFor();
  await other.getByRole('button', { name: 'Register build' }).click();
  await other.waitForURL(/\/builds\//);
  await page.getByText('Another window of this browser edits the flow too.').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('A draft of yours is shown.').waitFor();
  await field(page).getByText('"Paybacks"').waitFor();
  await close();
});

test('a draft is not shown to another person in the same browser', async () => {
  const { page, context, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await newAgent();
  await open(page, `/agents/${flowid}/edit`);
  await replace(page, '"name": "Refunds"', '"name": "Paybacks"');
  await page.getByText('A draft of yours is shown.').waitFor();
  await context.clearCookies();
  const other = await invite({ orgid: caller.orgid, role: 'owner', workspaces: [caller.workspaceid] });
  await signInToConsole(page, other.email, `/agents/${flowid}/edit`);
  await field(page).getByText('"Refunds"').waitFor();
  expect(await page.getByText('A draft of yours is shown.').count()).toBe(0);
  await close();
});
