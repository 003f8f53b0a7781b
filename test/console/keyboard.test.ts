// Journeys by keyboard alone: the command palette, the keys that go to pages and rows, and their switch.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { card } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { consoleUrl, inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;
let agent: TestAgent;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  email = await inviteOwner(caller);
  agent = await liveAgent({ flow: failingFlow(), agent_card: card({ name: 'Order desk' }) }, caller);
  await startedRun(agent, 'lamps');
  await startedRun(agent, 'chairs');
});
afterAll(async () => {
  await browser?.close();
});

const signIn = async (page: Page, path = '') => await signInToConsole(page, email, path);
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

test.each(widths)('%i px wide, palette and list of keys are accessible', async (width) => {
  const { page, close } = await openBrowserPage(browser, { width });
  await signIn(page, '/inbox');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Talk to Order desk' }).waitFor();
  await expectAccessibleInBoth(page, `console-palette-${width}`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await expectAccessibleInBoth(page, `console-keys-${width}`);
  await close();
});

test('some letters of a name, and Enter, lead to the page or the agent', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('inb');
  await page.getByRole('option', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Inbox').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('runs of order');
  await page.getByRole('option', { name: 'Runs of Order desk' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(consoleUrl(`/runs?flowid=${agent.flowid}`));
  await close();
});

test.each([
  ['dead', 'Dead letters', '/dead-letters'],
  ['member', 'Members', '/settings/members'],
  ['audit', 'Audit', '/settings/audit'],
  ['keys', 'API keys', '/settings/keys'],
  ['order desk', 'Order desk', undefined],
])('"%s" leads to a page that the rail does not have', async (text, name, path) => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type(text);
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
  await page.waitForURL(consoleUrl(path ?? `/agents/${agent.flowid}`));
  await close();
});

test('keys go to a page, to the rows of its list, and to its search', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page);
  await page.getByRole('main').getByRole('link').first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await heading(page, 'Runs').waitFor();
  const rows = page.getByRole('table').getByRole('link', { name: agent.flowid });
  await rows.nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  expect(await rows.nth(1).evaluate((row) => row === row.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('treegrid', { name: 'Timeline' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  const search = page.getByRole('searchbox', { name: 'Flow id' });
  await search.waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('jk');
  expect(await search.inputValue()).toBe('jk');
  await close();
});

test('single keys can be switched off, and stay off', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signIn(page, '/inbox');
  await page.keyboard.press('?');
  await page.getByRole('switch', { name: 'Keys without Ctrl or ⌘' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await heading(page, 'Inbox').waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  expect(await page.getByRole('dialog', { name: 'Keys', exact: true }).count()).toBe(0);
  await close();
});
