// Journeys through the settings: members, invitations, sessions and the audit trail.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { consoleUrl, signInToConsole, widths } from '#test/support/console-page.ts';
import { invite } from '#test/support/person.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
});

/** An organisation of its own, with one owner, who is signed in. */
async function signedIn(path: string, look: Parameters<typeof openBrowserPage>[1] = { width: 1280 }) {
  const caller = await newCaller();
  const { key, workspaceid } = caller;
  await call('createWorkspace', { key, body: { workspaceid, name: 'Shop' } });
  const { email } = await invite({ orgid: caller.orgid, role: 'owner', workspaces: '*' });
  const opened = await openBrowserPage(browser, look);
  await signInToConsole(opened.page, email, path);
  return { ...opened, email };
}

async function inviteByPage(page: Page, email: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill(email);
  await dialog.getByLabel('Role').selectOption('Builder');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const address = await dialog.getByRole('region', { name: 'Sign-in address' }).textContent();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return address ?? '';
}

const invitations = (page: Page) =>
  page.getByRole('table', { name: 'Open invitations' }).locator('tbody').getByRole('row');
const members = (page: Page) =>
  page.getByRole('table', { name: 'Members' }).locator('tbody').getByRole('row');

test.each(widths)('%i px wide, every page is accessible', async (width) => {
  const { page, close, email } = await signedIn('/settings', { width });
  const look = async (name: string) => {
    await expectAccessibleInBoth(page, `console-${name}-${width}`);
  };
  await page.getByRole('list', { name: 'Settings pages' }).waitFor();
  await look('settings');
  await page.getByRole('main').getByRole('link', { name: 'Members' }).click();
  await members(page).getByText(email).first().waitFor();
  await inviteByPage(page, `${unique('ada')}@example.com`);
  await invitations(page).first().waitFor();
  await look('members');
  await page.getByRole('button', { name: /^Change role/ }).click();
  await page.getByRole('dialog').getByLabel('Where').waitFor();
  await look('change-role');
  await page.goto(consoleUrl('/settings/sessions'));
  await page.getByText('This session').waitFor();
  await look('sessions');
  await page.goto(consoleUrl('/settings/audit?scope=organisation'));
  await page.getByRole('table', { name: 'Audit' }).getByText('member/invite').first().waitFor();
  await look('audit');
  await close();
});

describe('members', () => {
  test('an invitation shows the address to send, and can be withdrawn', async () => {
    const { page, close } = await signedIn('/settings/members');
    const address = `${unique('ada')}@example.com`;
    expect(await inviteByPage(page, address)).toMatch(/^http.*\/auth\/login/);
    const row = invitations(page).filter({ hasText: address });
    await row.getByText('Builder everywhere').waitFor();
    await row.getByRole('button', { name: 'Withdraw' }).click();
    await row.waitFor({ state: 'detached' });
    await close();
  });

  test('who was invited signs in, gets another role, and is removed', async () => {
    const { page, close } = await signedIn('/settings/members');
    const address = `${unique('ada')}@example.com`;
    const signInUrl = await inviteByPage(page, address);
    const other = await openBrowserPage(browser);
    await other.page.goto(signInUrl);
    await other.page.getByLabel('E-mail address').fill(address);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByText('You are signed in').waitFor();
    await page.reload();
    const row = members(page).filter({ hasText: address });
    await row.getByRole('button', { name: /^Change role/ }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('Operator');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Operator everywhere').waitFor();
    await row.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await other.close();
    await close();
  });

  test('the last owner stays one, and the dialog says why', async () => {
    const { page, close, email } = await signedIn('/settings/members');
    const row = members(page).filter({ hasText: email });
    await row.getByRole('button', { name: /^Change role/ }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('Viewer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('An organisation needs an owner').waitFor();
    await close();
  });
});

test('another session can be ended', async () => {
  const { page, close, email } = await signedIn('/settings/sessions');
  const other = await openBrowserPage(browser);
  await signInToConsole(other.page, email);
  await page.reload();
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByText('You have no other sessions').waitFor();
  await other.close();
  await close();
});

test('the days of the audit trail are in the address', async () => {
  const { page, close } = await signedIn('/settings/audit?scope=organisation&from=2026-01-01&to=2026-01-02');
  await page.getByText('No records in this time').waitFor();
  expect(await page.getByLabel('From').inputValue()).toBe('2026-01-01');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL(consoleUrl('/settings/audit'));
  await close();
});
