// Mistakes that the API finds in a form of the web console are shown at their fields.
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, openBrowserPage, startBrowser, takeScreenshot } from '#test/support/browser.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { inviteOwner, signInToConsole } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, replyingFlow } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';

let browser: Browser;
let caller: TestCaller;
let owner: string;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  owner = await inviteOwner(caller);
});
afterAll(() => browser?.close());

/** What a screen reader reads after the name of the field, which must have the focus. */
async function mistakeOf(field: Locator): Promise<string> {
  await field.and(field.page().locator('[aria-invalid="true"]')).waitFor();
  await field.and(field.page().locator(':focus')).waitFor();
  const id = (await field.getAttribute('aria-describedby'))?.split(' ')[0];
  return await field.page().locator(`[id="${id}"]`).innerText();
}

test('a variable and a pinned build that are refused are explained at their rows', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, owner, '/environments/test');
  await page.getByRole('button', { name: 'Add a variable' }).click();
  await page.getByRole('button', { name: 'Add a variable' }).click();
  const variables = page.getByLabel('Variable', { exact: true });
  await variables.nth(0).fill('REGION');
  await variables.nth(1).fill('REGION');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await mistakeOf(variables.nth(1))).toBe('This name is given twice.');
  await variables.nth(1).fill('no spaces, please');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Request id').waitFor();
  expect(await mistakeOf(variables.nth(1))).not.toBe('');
  await expectAccessible(page);
  await takeScreenshot(page, 'console-environment-mistake');
  await variables.nth(1).fill('ZONE');
  await page.getByRole('button', { name: 'Pin a build' }).click();
  await page.getByLabel('Flow id', { exact: true }).fill('nowhere');
  await page.getByLabel('Id of the build: nowhere').fill('a2a_00000000000000000000000000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Flow id', { exact: true }).and(page.locator('[aria-invalid="true"]')).waitFor();
  expect(await page.getByRole('alert').getByText('/body/pins').count()).toBe(0);
  await close();
});

test('an address that cannot be invited is explained at its field', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, owner, '/settings/members');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill('ada@example');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  expect(await mistakeOf(dialog.getByLabel('E-mail address'))).toContain('must');
  expect(await dialog.getByText('/body/email').count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshot(page, 'console-invite-mistake');
  await close();
});

test('variables with which a flow cannot run again are explained at their field', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const agent = await liveAgent({ flow: replyingFlow() }, caller);
  const run = await startedRun(agent, 'lamps');
  await idle();
  await signInToConsole(page, owner, `/runs/${run}`);
  const input = page.getByRole('region', { name: 'Input' }).first();
  await input.getByRole('button', { name: 'Show the input' }).click();
  await input.getByRole('button', { name: 'Run again' }).click();
  const dialog = page.getByRole('dialog');
  const variables = dialog.getByLabel('Variables, a JSON object');
  await variables.fill('[]');
  await dialog.getByRole('button', { name: 'Start' }).click();
  expect(await mistakeOf(variables)).not.toBe('');
  await variables.fill('{}');
  await dialog.getByLabel('Message').fill('x'.repeat(200_000));
  await dialog.getByRole('button', { name: 'Start' }).click();
  expect(await mistakeOf(dialog.getByLabel('Message'))).toContain('must');
  await expectAccessible(page);
  await close();
});
