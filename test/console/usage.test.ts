// Journeys through the page about usage and budgets.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
  takeScreenshot,
} from '#test/support/browser.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { consoleUrl, signInToConsole, widths } from '#test/support/console-page.ts';
import { invite } from '#test/support/person.ts';
import { endedRun, used } from '#test/support/usage.ts';

let browser: Browser;
let caller: TestCaller;
let owner: string;
let operator: string;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  const { orgid, workspaceid } = caller;
  ({ email: owner } = await invite({ orgid, role: 'owner' }));
  ({ email: operator } = await invite({ orgid, role: 'operator', workspaces: [workspaceid] }));
  await call('createWorkspace', { key: caller.key, body: { workspaceid, name: 'Support' } });
  const spent = async (day: string, model: string, cost: number, cached = 0) =>
    await endedRun(caller, `2026-10-${day}T12:00:00.000Z`, [used({ model, cost, input: 1_000, cached })]);
  await spent('02', 'test/small', 1.5, 250);
  await spent('02', 'test/large', 10);
  await spent('20', 'test/small', 2);
});
afterAll(() => browser?.close());

const october = 'from=2026-10-01&to=2026-10-31';

/** The texts of the first and the last cells of the rows of the table. */
const cells = async (page: Page) =>
  await page
    .getByRole('table', { name: 'Usage' })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.children].map((cell) =>
          String((cell as { innerText?: unknown }).innerText).replace(/\s+/g, ' '),
        ),
      ),
    );

describe.each(widths)('%i px wide', (width) => {
  test('the page is accessible and does not scroll sideways', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    await signInToConsole(page, owner, `/usage?${october}&group=model`);
    await page.getByRole('img', { name: /^Cost, by day: \$13\.50 in all/ }).waitFor();
    await expectAccessibleInBoth(page, `console-usage-${width}`);
    await close();
  });
});

test('the figures are split by model, sorted, and shown by month, with all of it in the address', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, owner, `/usage?${october}`);
  await page.getByRole('img', { name: /the most in one period is \$11\.50 \(2 Oct 2026\)/ }).waitFor();
  expect(await cells(page)).toEqual([
    ['2 Oct 2026', '2', '2,000', '250 13 %', '20', '$11.50'],
    ['20 Oct 2026', '1', '1,000', '0', '10', '$2.00'],
  ]);
  await page.getByRole('combobox', { name: 'Group' }).selectOption('By model');
  await page.getByRole('rowheader', { name: 'test/large' }).waitFor();
  await page.getByRole('button', { name: 'Cost' }).click();
  await page.locator('[aria-sort="descending"]').or(page.locator('[aria-sort="ascending"]')).waitFor();
  const costs = (await cells(page)).map((row) => [row[0], row.at(-1)]);
  expect(costs).toContainEqual(['test/small', '$3.50']);
  await page.getByRole('combobox', { name: 'Rows' }).selectOption('Each day or month');
  await expect.poll(async () => (await cells(page)).length).toBe(3);
  await page.getByRole('combobox', { name: 'Period' }).selectOption('By month');
  await expect.poll(async () => (await cells(page)).length).toBe(2);
  const address = new URL(page.url()).searchParams;
  expect(Object.fromEntries(address)).toMatchObject({ by: 'month', group: 'model', rows: 'each' });
  await page.reload();
  await expect.poll(async () => (await cells(page)).length).toBe(2);
  await page.getByRole('combobox', { name: 'Measure' }).selectOption('Tokens');
  await page.getByRole('img', { name: /^Tokens, by month/ }).waitFor();
  await close();
});

test('a range that is none is said at its field, and one without calls is empty', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, owner, '/usage?from=2026-10-31&to=2026-10-01');
  await page.getByText('must not be after `to`').waitFor();
  expect(await page.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await page.getByLabel('From').fill('2026-09-30');
  await page.getByLabel('To', { exact: true }).fill('2026-09-30');
  await page.getByText('No model was called in this range').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL(consoleUrl('/usage'));
  await close();
});

test('an owner sets, changes and deletes a budget; mistakes are at their fields', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await endedRun(caller, new Date().toISOString(), [used({ cost: 9 })]);
  await signInToConsole(page, owner, '/usage');
  await page.getByText('No budget is set').waitFor();
  await page.getByRole('button', { name: 'Set a budget' }).click();
  const limit = page.getByLabel('Limit in a month, in US dollars');
  await limit.fill('-1');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('[name="monthly_limit"][aria-invalid="true"]').waitFor();
  await expectAccessible(page);
  await limit.fill('10');
  await page.getByRole('button', { name: 'Save' }).click();
  const item = page.getByRole('list', { name: 'Budgets of this month' }).getByRole('listitem');
  await item.getByText('Nearly used up').waitFor();
  await item.getByText('$9.00 of $10.00').waitFor();
  await item.getByRole('button', { name: 'Change the budget: The whole organisation' }).click();
  await limit.fill('9');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'This limit is reached already' }).waitFor();
  await page.getByRole('button', { name: 'Stop now' }).click();
  await item.getByText('Exhausted').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'console-budgets');
  await item.getByRole('button', { name: 'Delete The whole organisation' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No budget is set').waitFor();
  await close();
});

test('who may not set budgets sees them; whoever may not read usage is not led to the page', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320 });
  const { key, workspaceid } = caller;
  await call('setBudget', { key, query: { workspaceid }, body: { monthly_limit: 1000, stop: false } });
  await signInToConsole(page, operator, '/usage');
  await page.getByText('Within the budget').waitFor();
  await page.getByText('Warns only, warns from 80 %').waitFor();
  expect(await page.getByRole('button', { name: /budget|Delete/ }).count()).toBe(0);
  await close();
  const viewer = await invite({ orgid: caller.orgid, role: 'viewer', workspaces: [workspaceid] });
  const other = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(other.page, viewer.email);
  await other.page.getByRole('link', { name: 'Agents' }).waitFor();
  expect(await other.page.getByRole('link', { name: 'Usage' }).count()).toBe(0);
  await other.close();
});
