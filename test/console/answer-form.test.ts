// Journeys through the forms by which people answer runs: fields by JSON Schema, and missing connections once for all.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
} from '#test/support/browser.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { consoleUrl, inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';
import { startedRun } from '#test/support/run-calls.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  email = await inviteOwner(caller);
});
afterAll(async () => {
  await browser?.close();
});

const refund = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Refund it?' },
    amount: { type: 'number', title: 'Amount', description: 'In euros.', multipleOf: 0.5 },
    way: { enum: ['post', 'bank'], title: 'Way' },
    reason: { type: 'string', maxLength: 40, title: 'Reason' },
  },
  required: ['approved', 'amount'],
};

async function startAsking(schema: JsonObject): Promise<string> {
  const nodes = {
    sure: { type: 'ask', prompt: 'Refund {{ input.message }}?', schema, next: 'done' },
    done: { type: 'end', output: { answered: '{{ nodes.sure }}' } },
  };
  const agent = await liveAgent({ flow: flow({ start: 'sure', nodes }) }, caller);
  const id = await startedRun(agent, 'lamps');
  await idle();
  return id;
}

const open = async (page: Page, path: string) => await signInToConsole(page, email, path);

test.each(widths)('%i px wide, the fields of an answer are accessible', async (width) => {
  const { page, close } = await openBrowserPage(browser, { width });
  await open(page, `/runs/${await startAsking(refund)}`);
  await page.getByRole('radiogroup', { name: 'Refund it? (required)' }).waitFor();
  await expectAccessibleInBoth(page, `console-answer-${width}`);
  await close();
});

test('the keyboard alone fills in the fields; what is refused is said at its field', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, `/runs/${await startAsking(refund)}`);
  await page.getByRole('treegrid').getByText('Waiting', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Yes' }).focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('radio', { name: 'No', exact: true }).isChecked()).toBe(true);
  await page.keyboard.press('Tab');
  await page.keyboard.type('12.3');
  await page.keyboard.press('Enter');
  const amount = page.getByRole('spinbutton', { name: 'Amount (required)' });
  await page.getByText('multiple of 0.5').waitFor();
  expect(await amount.getAttribute('aria-invalid')).toBe('true');
  expect(await amount.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  await expectAccessible(page);
  await amount.fill('12.5');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Completed').waitFor();
  await page.getByRole('tab', { name: 'Raw' }).click();
  await page.getByText('12.5').first().waitFor();
  await close();
});

test('a schema that is nested is answered as JSON', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, `/runs/${await startAsking({ type: 'array', items: { type: 'string' } })}`);
  const text = page.getByRole('textbox', { name: 'Answer as JSON' });
  await text.fill('[');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByText('This is not valid JSON.').waitFor();
  await text.fill('["lamps"]');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('status').getByText('Completed').waitFor();
  await close();
});

test('runs that need the same connection ask for it once', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const connections = { shop: { type: 'http_bearer', hosts: ['api.shop.example'] } };
  const agent = await liveAgent({ flow: flow({ connections }) }, caller);
  for (const what of ['lamps', 'chairs', 'tables']) await startedRun(agent, what);
  await idle();
  await open(page, '/inbox');
  const item = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Store shop' });
  await item.getByRole('link', { name: agent.flowid }).nth(2).waitFor();
  expect(await page.getByRole('link', { name: 'Store shop' }).count()).toBe(1);
  await close();
});

test.each([
  ['/agents/orders/builds/none', 'There is no build with this id', 'All builds of the agent'],
  ['/agents/orders/edit?from=none', 'There is no build to edit', 'All builds of the agent'],
  ['/triggers/trg_nope', 'There is no trigger with this id', 'All triggers'],
  ['/runs/nope', 'There is no run with this id', 'All runs'],
])('%s says that there is none, with the request id and a link to the list', async (path, title, back) => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, path);
  await page.getByText(title).waitFor();
  await page.getByRole('link', { name: back }).waitFor();
  await page.getByText('Request id').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(page.url()).toBe(consoleUrl(path));
  await close();
});

test.each([
  ['/agents/orders/edit', 'There is no build to edit', 'All agents'],
  ['/agents/orders/compare?from=none&to=nobody', 'Trying again will not help', 'All builds of the agent'],
  ['/environments/nowhere', 'There is no environment with this name', 'All environments'],
  ['/nowhere', 'There is no such page', 'Go to the home page'],
])('%s leads back to where it belongs', async (path, text, back) => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, path);
  await page.getByText(text).first().waitFor();
  await page.getByRole('main').getByRole('link', { name: back }).click();
  await page.waitForURL((address) => !address.href.startsWith(consoleUrl(path)));
  await close();
});

test('settings that may not be read lead back to all environments', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const workspaces = [caller.workspaceid];
  const person = await invite({ orgid: caller.orgid, role: 'caller', workspaces });
  await signInToConsole(page, person.email, '/environments/test');
  await page.getByText('lack the permission').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'All environments' }).click();
  await page.waitForURL(consoleUrl('/environments'));
  await close();
});
