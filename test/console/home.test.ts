// What the home page lists is right in a workspace with more runs than it shows.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, openBrowserPage, startBrowser, takeScreenshot } from '#test/support/browser.ts';
import { newCaller } from '#test/support/caller.ts';
import { inviteOwner, signInToConsole } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, failingFlow, liveAgent, replyingFlow } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

test('a run that waits and one that has failed are listed, also if fifty others are newer', async () => {
  const caller = await newCaller();
  const email = await inviteOwner(caller);
  const asking = await liveAgent({ flow: askingFlow() }, caller);
  const failing = await liveAgent({ flow: failingFlow() }, caller);
  const replying = await liveAgent({ flow: replyingFlow() }, caller);
  await startedRun(asking, 'lamps');
  for (let count = 0; count < 7; count++) await startedRun(failing, 'lamps');
  for (let group = 0; group < 5; group++)
    await Promise.all(Array.from({ length: 10 }, () => startedRun(replying, 'lamps')));
  await idle();
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, email);
  const main = page.getByRole('main');
  const panel = (name: string) => page.getByRole('region', { name });
  await panel('Waits for you').getByRole('link', { name: asking.flowid }).waitFor();
  await panel('Failed in 24 hours').getByText('The newest 6; there are more.').waitFor();
  expect(await panel('Failed in 24 hours').getByRole('link', { name: failing.flowid }).count()).toBe(6);
  expect(await main.getByRole('link', { name: `${asking.flowid}: Needs an answer` }).count()).toBe(0);
  await expectAccessible(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
    await takeScreenshot(page, `console-home-many-runs-${colorScheme}`);
  }
  await close();
});
