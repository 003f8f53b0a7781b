// Journeys through the timeline of a run, in a real browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
} from '#test/support/browser.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let browser: Browser;
let upstream: Upstream;
let caller: TestCaller;
let email: string;
let run: string;

beforeAll(async () => {
  [browser, upstream, caller] = await Promise.all([startBrowser(), startUpstream(), newCaller()]);
  email = await inviteOwner(caller);
  // On a fast machine, calls that answer at once make a run that is too short to be shown in parts.
  const flow = callingFlow(upstream, [
    'slow/first',
    'slow/second',
    'slow/third',
    'slow/fourth',
    'slow/fifth',
  ]);
  run = await startedRun(await liveAgent({ flow }, caller));
  await idle();
});
afterAll(async () => {
  await browser?.close();
  await upstream?.close();
});

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Timeline' });
const shown = (page: Page) => page.getByRole('tabpanel', { name: 'Timeline' }).getByRole('status').first();
const tool = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Range of the timeline' }).getByRole('button', { name });
const range = (page: Page) => new URL(page.url()).searchParams.get('range');

describe.each(widths)('%i px wide', (width) => {
  test('a part of the timeline is shown by buttons, and announced', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    await signInToConsole(page, email, `/runs/${run}`);
    await grid(page).getByText('step_3').first().waitFor();
    expect(await shown(page).textContent()).toBe('The whole run');
    expect(await tool(page, 'Zoom out').getAttribute('aria-disabled')).toBe('true');
    for (let n = 0; n < 3; n += 1) await tool(page, 'Zoom in').click();
    expect(await shown(page).textContent()).toMatch(/^From .+ to .+$/);
    while ((await tool(page, 'Show earlier').getAttribute('aria-disabled')) !== 'true')
      await tool(page, 'Show earlier').click();
    await page.getByText('after the range that is shown').first().waitFor({ state: 'attached' });
    await expectAccessibleInBoth(page, `console-timeline-zoomed-${width}`);
    await tool(page, 'Fit the whole run').click();
    expect(await shown(page).textContent()).toBe('The whole run');
    await close();
  });
});

test('the range is changed by keys in the timeline, is in the address, and survives a reload and other views', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, email, `/runs/${run}`);
  await grid(page).getByRole('row').first().focus();
  for (let n = 0; n < 3; n += 1) await page.keyboard.press('+');
  while ((await tool(page, 'Show later').getAttribute('aria-disabled')) !== 'true')
    await page.keyboard.press('Shift+ArrowRight');
  const late = range(page);
  expect(late).toMatch(/^\d+-\d+$/);
  await page.getByText('before the range that is shown').first().waitFor({ state: 'attached' });
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  expect(range(page)).toBe(late);
  await page.reload();
  await grid(page).waitFor();
  expect(await shown(page).textContent()).toMatch(/^From /);
  await grid(page).getByRole('row').first().focus();
  await page.keyboard.press('Shift+ArrowLeft');
  expect(range(page)).not.toBe(late);
  for (let n = 0; n < 4; n += 1) await page.keyboard.press('-');
  expect(await shown(page).textContent()).toBe('The whole run');
  await page.keyboard.press('+');
  await page.keyboard.press('0');
  expect(range(page)).toBeNull();
  await close();
});

test('an address of no run leads back to all runs', async () => {
  const { page, close } = await openBrowserPage(browser);
  await signInToConsole(page, email, '/runs/mistyped');
  await page.getByText('There is no run with this id').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'All runs' }).click();
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  await close();
});

test('a workspace without runs offers a conversation with an agent', async () => {
  const other = await newCaller();
  const { page, close } = await openBrowserPage(browser);
  await signInToConsole(page, await inviteOwner(other), '/runs');
  await page.getByText('No runs yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Talk to an agent' }).click();
  await page.waitForURL(/\/playground$/);
  await close();
});
