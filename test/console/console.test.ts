// Journeys through the web console in a real browser, against the local host.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
  tabTo,
  takeScreenshot,
} from '#test/support/browser.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import {
  consoleUrl,
  inviteOwner,
  signInByPages,
  signInToConsole,
  widths,
} from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let browser: Browser;
let upstream: Upstream;
let caller: TestCaller;
let email: string;
let failing: TestAgent;
let asking: TestAgent;

beforeAll(async () => {
  [browser, upstream, caller] = await Promise.all([startBrowser(), startUpstream(), newCaller()]);
  email = await inviteOwner(caller);
  failing = await liveAgent({ flow: failingFlow(), flowid: unique('stock') }, caller);
  asking = await liveAgent({ flow: askingFlow(), flowid: unique('refunds') }, caller);
  await startedRun(failing, 'lamps');
  await startedRun(asking, 'lamps');
});
afterAll(async () => {
  await browser?.close();
  await upstream?.close();
});

const url = consoleUrl;
const signIn = async (page: Page, path = '') => await signInToConsole(page, email, path);

describe.each(widths)('%i px wide', (width) => {
  test('every page is accessible and does not scroll sideways', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    const look = async (name: string) => {
      await expectAccessibleInBoth(page, `console-${name}-${width}`);
    };
    await page.goto(url(''));
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await look('sign-in');
    await signIn(page);
    await page.getByRole('list').filter({ hasText: failing.flowid }).first().waitFor();
    await look('home');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText(failing.flowid).first().waitFor();
    await look('runs');
    await page.getByRole('table').getByRole('link', { name: failing.flowid }).first().click();
    await page.getByRole('treegrid', { name: 'Timeline' }).waitFor();
    await look('run');
    await page.getByRole('tab', { name: 'Flow' }).click();
    await page.getByRole(width < 720 ? 'list' : 'group', { name: 'Flow of the run' }).waitFor();
    await look('run-flow');
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('main').getByRole('link', { name: asking.flowid }).first().waitFor();
    await look('inbox');
    await page.goto(url('/nowhere'));
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await look('not-found');
    await close();
  });
});

test('who signs in comes back to the page they wanted', async () => {
  const { page, close } = await openBrowserPage(browser);
  await signInByPages(page, email, '/runs?status=failed');
  await page.getByRole('table', { name: 'Runs' }).waitFor();
  expect(page.url()).toBe(url('/runs?status=failed'));
  expect(await page.getByLabel('Status').inputValue()).toBe('failed');
  await close();
});

test('a failed run shows its cause first, and its node with one click', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page, '/runs?status=failed');
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'No stock of lamps.' }).waitFor();
  await page.getByRole('button', { name: 'broken', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Node execution' });
  await panel.getByText('Failed', { exact: true }).waitFor();
  await close();
});

test('the error of a failed run leads to its node in the picture, in step with the timeline', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page, '/runs?status=failed');
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('button', { name: 'Show in flow' }).click();
  const node = page
    .getByRole('group', { name: 'Flow of the run' })
    .getByRole('button', { name: /^broken, fail, Failed, / });
  await node.waitFor();
  expect(await node.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('complementary', { name: 'Node execution' }).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  const row = page.getByRole('treegrid').getByRole('row').first();
  expect(await row.getAttribute('aria-selected')).toBe('true');
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByRole('combobox', { name: 'Node' }).selectOption('broken');
  const entries = page.getByRole('list', { name: 'Log' }).getByRole('listitem');
  expect(await entries.filter({ hasNotText: 'broken' }).count()).toBe(0);
  expect(await entries.count()).toBeGreaterThan(0);
  await close();
});

test('the picture shows what a run waits for, and how it continues', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const agent = await liveAgent({ flow: askingFlow() }, caller);
  const id = await startedRun(agent, 'lamps');
  await idle();
  await signIn(page, `/runs/${id}?view=flow`);
  const picture = page.getByRole('group', { name: 'Flow of the run' });
  await picture.getByRole('button', { name: /, ask, Needs an answer$/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Node execution' }).waitFor();
  await page.getByRole('button', { name: 'yes', exact: true }).click();
  await picture.getByRole('button', { name: /, ask, Completed, / }).waitFor();
  await picture.getByRole('button', { name: /^done, end, Completed, / }).waitFor();
  await close();
});

test('the input of a run is shown on demand, and runs again as it was edited', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const agent = await liveAgent({}, caller);
  const id = await startedRun(agent, 'two lamps');
  await idle();
  await signIn(page, `/runs/${id}`);
  const input = page.getByRole('region', { name: 'Input' }).first();
  await input.getByRole('button', { name: 'Show the input' }).click();
  await input.getByText('"two lamps"').waitFor();
  await input.getByRole('button', { name: 'Run again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run this flow again?' });
  await dialog.getByLabel('Variables, a JSON object').fill('[1]');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.getByText('The variables are no JSON object.').waitFor();
  await dialog.getByLabel('Variables, a JSON object').fill('{"color": "red"}');
  await dialog.getByLabel('Message').fill('three lamps');
  await expectAccessible(page);
  await takeScreenshot(page, 'console-run-again-light-1280');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL(
    (address) => /\/runs\/[^/]+$/.test(address.pathname) && !address.pathname.endsWith(id),
  );
  await page.getByRole('status').getByText('Completed').waitFor();
  await page.getByRole('region', { name: 'Output' }).first().getByText('"three lamps"').waitFor();
  await close();
});

test('the values of a node are shown on demand, and the run runs again in another environment', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('flow');
  const { a2aregistryid, build_no } = await newRow(caller, { flowid });
  const params = { workspace_id: caller.workspaceid, trigger_id: flowid, environment: 'test' };
  const { workflow_id } = (
    await call('triggerFlow', { key: caller.key, params, body: { message: 'two lamps' } })
  ).body;
  await signIn(page, `/runs/${workflow_id}`);
  await page.getByRole('treegrid').getByText('done').first().click();
  const panel = page.getByRole('complementary', { name: 'Node execution' });
  await panel.getByRole('button', { name: 'Show input and output' }).click();
  const input = panel.getByRole('group', { name: 'Input' });
  await input.getByText('1 member').first().waitFor();
  await panel.getByRole('group', { name: 'Output' }).getByText('two lamps').waitFor();
  await expectAccessible(page);

  const started = page.getByRole('region', { name: 'Input' });
  await started.getByRole('button', { name: 'Show the input' }).click();
  await started.getByRole('button', { name: 'Run again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run this flow again?' });
  await dialog.getByLabel('Environment').selectOption('dev');
  await dialog.getByLabel('Build').selectOption({ label: `Build ${build_no} (test)` });
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Runs again:').waitFor();
  const id = page.url().split('/').at(-1) ?? '';
  const run = (await call('getRunDetail', { key: caller.key, params: { workflow_id: id } })).body;
  expect(run).toMatchObject({ environment: 'dev', a2aregistryid, replay_of: workflow_id });
  await close();
});

test('a run is forked from the row of a node, and the new run names the other', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('flow');
  const nodes = {
    make: { type: 'transform', output: 'two lamps', next: 'done' },
    done: { type: 'end', output: { text: '{{ nodes.make }}' } },
  };
  await newRow(caller, { flowid, flow: flow({ start: 'make', nodes }) });
  const params = { workspace_id: caller.workspaceid, trigger_id: flowid, environment: 'test' };
  const { workflow_id } = (await call('triggerFlow', { key: caller.key, params, body: { message: '' } }))
    .body;
  await signIn(page, `/runs/${workflow_id}`);
  await page.getByRole('button', { name: 'Fork from here, done.1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork this run from done.1?' });
  await dialog.getByLabel('Outputs to replace, a JSON object').fill('[1]');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.getByText('expected a JSON object').waitFor();
  await dialog.getByLabel('Outputs to replace, a JSON object').fill('{"done": 1}');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.getByText('done must be of a node that the run itself has executed').waitFor();
  await dialog.getByLabel('Outputs to replace, a JSON object').fill('{"make": "three lamps"}');
  await expectAccessible(page);

  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Fork of:').waitFor();
  await page.getByRole('link', { name: workflow_id }).waitFor();
  await page.getByText('at done.1').waitFor();
  await page.getByRole('region', { name: 'Output' }).first().getByText('"three lamps"').waitFor();
  await page.getByRole('treegrid').getByText('not executed').click();
  const panel = page.getByRole('complementary', { name: 'Node execution' });
  await panel.getByRole('link', { name: 'The run that it forks' }).waitFor();
  expect(await page.getByRole('button', { name: 'Fork from here, make.1' }).count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshot(page, 'console-forked-run-light-1280');
  await close();
});

test('a run is saved as a test, also dark and on a narrow screen', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320, scheme: 'dark' });
  const flowid = unique('flow');
  await newRow(caller, { flowid });
  const params = { workspace_id: caller.workspaceid, trigger_id: flowid, environment: 'test' };
  const body = { message: 'two lamps' };
  const { workflow_id } = (await call('triggerFlow', { key: caller.key, params, body })).body;
  await signIn(page, `/runs/${workflow_id}`);
  await page.getByRole('button', { name: 'Save as test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as test' });
  await dialog.getByRole('region', { name: 'Test' }).getByText('"message": "two lamps"').waitFor();
  const name = await dialog.getByRole('link', { name: 'Download' }).getAttribute('download');
  expect(name).toBe(`test-${workflow_id}.json`);
  await expectAccessible(page);

  await close();
});

test('what is not kept is said, with the way to change it', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page, '/runs?status=failed');
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('button', { name: 'broken', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Node execution' });
  await panel.getByRole('button', { name: 'Show input and output' }).click();
  await panel.getByText('No values of the run are kept').waitFor();
  await panel.getByRole('link', { name: 'Settings of the environments' }).click();
  await page.getByRole('link', { name: 'Edit live' }).click();
  await page.getByLabel('Keep inputs and outputs of nodes').selectOption({ label: 'Of runs that fail' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Environments' }).waitFor();
  await page.getByText('Of runs that fail').first().waitFor();
  await close();
});

test('a run fills in while somebody watches, without asking again', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const gate = caller.orgid;
  const agent = await liveAgent({ flow: callingFlow(upstream, ['count/first', `gate/${gate}`]) }, caller);
  await signIn(page);
  const id = await startedRun(agent);
  await upstream.arrived(gate);
  await page.goto(url(`/runs/${id}`));
  const rows = page.getByRole('treegrid', { name: 'Timeline' }).getByRole('row');
  await rows.filter({ hasText: 'step_1' }).getByText('Running', { exact: true }).waitFor();
  upstream.open(gate);
  await page.getByRole('status').getByText('Completed').waitFor();
  await rows.filter({ hasText: 'done' }).getByText('Completed').waitFor();
  await close();
});

test('an answer in the inbox lets the run go on', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const agent = await liveAgent(
    {
      flow: flow({
        start: 'decide',
        nodes: { decide: { type: 'ask', prompt: 'Refund it?', choices: ['Yes, refund', 'No'] } },
      }),
    },
    caller,
  );
  const id = await startedRun(agent);
  await signIn(page, '/inbox');
  const item = page.getByRole('listitem').filter({ hasText: agent.flowid });
  await item.getByRole('button', { name: 'Yes, refund' }).click();
  await page.goto(url(`/runs/${id}`));
  await page.getByRole('status').getByText('Completed').waitFor();
  await close();
});

test('the keyboard alone opens a run and a node of it', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page, '/runs?status=failed');
  await page.getByRole('table').getByRole('link').first().waitFor();
  await tabTo(page, 'link', failing.flowid);
  await page.keyboard.press('Enter');
  const row = page.getByRole('treegrid').getByRole('row').first();
  await row.waitFor();
  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Node execution' }).waitFor();
  await close();
});

test('the colour scheme can be chosen, and stays', async () => {
  const { page, close } = await openBrowserPage(browser, { scheme: 'light' });
  await signIn(page);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.reload();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  await close();
});

test('signing out ends the session', async () => {
  const { page, close } = await openBrowserPage(browser);
  await signIn(page);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
  await page.goto(url(''));
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await close();
});
