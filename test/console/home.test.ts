// What the home page lists is right in a workspace with more runs than it shows.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, openBrowserPage, startBrowser, takeScreenshot } from '#test/support/browser.ts';
import { card } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
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
  const live = async (name: string, description: string, flow: object) =>
    await liveAgent(
      { flow, flowid: unique(name.toLowerCase()), agent_card: card({ name, description }) },
      caller,
    );
  const asking = await live('Refunds', 'Pays an order back, if a person agrees.', askingFlow());
  const failing = await live('Stock', 'Tells how many of an article there are.', failingFlow());
  const replying = await live('Orders', 'Tells where an order is.', replyingFlow());
  await startedRun(asking, 'lamps');
  for (let count = 0; count < 7; count++) await startedRun(failing, 'lamps');
  for (let group = 0; group < 5; group++)
    await Promise.all([
      ...Array.from({ length: 10 }, () => startedRun(replying, 'lamps')),
      startedRun(failing, 'chairs'),
    ]);
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
