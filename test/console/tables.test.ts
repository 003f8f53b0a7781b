// Journeys through the tables of the web console: sorting them, by mouse, by keyboard and by the address.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, openBrowserPage, startBrowser, takeScreenshot } from '#test/support/browser.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { consoleUrl, signInToConsole } from '#test/support/console-page.ts';
import { liveAgent } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';
import { newTrigger } from '#test/support/triggers.ts';

let browser: Browser;
let caller: TestCaller;
let owner: string;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  const { orgid, workspaceid } = caller;
  ({ email: owner } = await invite({ orgid, role: 'owner', workspaces: [workspaceid] }));
});
afterAll(() => browser?.close());

const newKey = async (label: string, expires_in_days: number) =>
  await call('createApiKey', {
    key: caller.key,
    body: { label, scopes: ['assistants.flows:run'], workspaces: [caller.workspaceid], expires_in_days },
  });

/** The first words of those rows of the table that have one of them, from top to bottom. */
async function order(page: Page, table: string, names: readonly string[]): Promise<readonly string[]> {
  const heads = await page.getByRole('table', { name: table }).getByRole('rowheader').allInnerTexts();
  return heads.flatMap((text) => names.filter((name) => text.startsWith(name)));
}

test('keys are sorted by a header, in either order, and as before with the third press', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const names = ['Key 9', 'Key 10', 'key 2'];
  for (const [label, days] of [
    ['Key 9', 3],
    ['Key 10', 1],
    ['key 2', 2],
  ] as const)
    await newKey(label, days);
  await signInToConsole(page, owner, '/settings/keys');
  const byName = page.getByRole('button', { name: 'Key', exact: true });
  await byName.waitFor();
  const before = await order(page, 'API keys', names);
  await byName.focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('columnheader', { name: 'Key' })
    .and(page.locator('[aria-sort="ascending"]'))
    .waitFor();
  expect(await order(page, 'API keys', names)).toEqual(['key 2', 'Key 9', 'Key 10']);
  expect(page.url()).toBe(consoleUrl('/settings/keys?sort=label'));
  await page.keyboard.press('Space');
  await page.locator('[aria-sort="descending"]').waitFor();
  expect(await order(page, 'API keys', names)).toEqual(['Key 10', 'Key 9', 'key 2']);
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.locator('[aria-sort]').waitFor({ state: 'detached' });
  expect(await order(page, 'API keys', names)).toEqual(before);
  await page.getByRole('button', { name: 'Expires' }).click();
  await page.locator('[aria-sort="descending"]').waitFor();
  expect(await order(page, 'API keys', names)).toEqual(['Key 9', 'key 2', 'Key 10']);
  await close();
});

test('an address keeps the order, beside the filters', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const agent = await liveAgent({}, caller);
  const [first, second] = [
    await newTrigger(agent, { kind: 'api', trigger_id: unique('trg_first') }),
    await newTrigger(agent, { kind: 'api', trigger_id: unique('trg_second') }),
  ];
  const ids = [first.trigger_id, second.trigger_id].toSorted().toReversed();
  await signInToConsole(page, owner, `/triggers?flowid=${agent.flowid}&sort=-trigger`);
  await page.getByText(first.trigger_id).waitFor();
  expect(await order(page, 'Triggers', ids)).toEqual(ids);
  await page.getByLabel('Kind').selectOption('schedule');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL(consoleUrl('/triggers?sort=-trigger'));
  await close();
});

test('on a narrow screen the order is chosen from a list', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320 });
  const names = ['Narrow 1', 'Narrow 2'];
  for (const name of names) await newKey(name, 1);
  await signInToConsole(page, owner, '/settings/keys');
  await page.getByLabel('Sort by').selectOption('Key, descending');
  await page.waitForURL(consoleUrl('/settings/keys?sort=-label'));
  expect(await order(page, 'API keys', names)).toEqual(names.toReversed());
  await expectAccessible(page);
  await takeScreenshot(page, 'console-sorted-keys-320');
  await close();
});

test('as long as there are more rows, the page states that the order is that of the loaded ones', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const agent = await liveAgent({}, caller);
  for (let group = 0; group < 11; group++)
    await Promise.all(Array.from({ length: 10 }, () => newTrigger(agent, { kind: 'api' })));
  await signInToConsole(page, owner, `/triggers?flowid=${agent.flowid}`);
  const more = page.getByRole('button', { name: 'Load more' });
  await more.waitFor();
  const note = page.getByText('The order applies to what is loaded so far.');
  expect(await note.count()).toBe(0);
  await page.getByRole('button', { name: 'Changed' }).click();
  await note.waitFor();
  await more.click();
  await note.waitFor({ state: 'detached' });
  await close();
});
