// A list of ten thousand runs in a real browser: only rows in sight are in the document.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { newCaller } from '#test/support/caller.ts';
import { signInToConsole } from '#test/support/console-page.ts';
import { invite } from '#test/support/person.ts';

const rowsMax = 80;

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
});

/** In the form of the API, which would give them in pages. */
const items = Array.from({ length: 10_000 }, (_, n) => ({
  workflow_id: `0193a5c0-7c1e-7e3b-9b5e-${String(n).padStart(12, '0')}`,
  flowid: `flow-${n}`,
  status: 'completed',
  environment: 'live',
  trigger: 'api',
  created_at: '2026-11-24T12:00:00.000Z',
  ended_at: '2026-11-24T12:00:01.000Z',
}));

test('ten thousand runs are scrolled with few rows in the document', async () => {
  const { orgid, workspaceid } = await newCaller();
  const { email } = await invite({ orgid, role: 'owner', workspaces: [workspaceid] });
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await page.route(/\/api\/v1\/(.*\/)?runs\?/, (route) => route.fulfill({ json: { items } }));
  await signInToConsole(page, email, '/runs');
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByText('flow-0', { exact: true }).waitFor();
  expect(await table.getAttribute('aria-rowcount')).toBe('10001');
  expect(await table.getByRole('row').count()).toBeLessThanOrEqual(rowsMax);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await table.getByText('flow-9999', { exact: true }).waitFor();
  expect(await table.getByRole('row').count()).toBeLessThanOrEqual(rowsMax);
  await close();
});
