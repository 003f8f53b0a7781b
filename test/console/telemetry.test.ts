// Journeys through the settings of telemetry of an environment, with a receiver of OTLP.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts';
import { invite } from '#test/support/person.ts';

let browser: Browser;
let caller: TestCaller;
let receiver: OtlpReceiver;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  [caller, receiver] = await Promise.all([newCaller(), startOtlpReceiver('protobuf')]);
  return () => receiver.close();
});

const stored = async () =>
  (
    await call('getEnvironment', {
      key: caller.key,
      params: { environment: 'uat' },
      query: { workspaceid: caller.workspaceid },
    })
  ).body;

/** The page of the environment `uat`, of an owner. */
async function opened(look: Parameters<typeof openBrowserPage>[1] = { width: 1280 }) {
  const browserPage = await openBrowserPage(browser, look);
  await signInToConsole(browserPage.page, await inviteOwner(caller), '/environments/uat');
  return browserPage;
}

const endpoint = (page: Page) => page.getByLabel('Endpoint', { exact: true });

test('a sink is tried, set, changed and removed by keyboard', async () => {
  const { page, close } = await opened();
  await endpoint(page).focus();
  await page.keyboard.insertText(receiver.endpoint);
  await page.getByRole('button', { name: 'Send a test span' }).press('Enter');
  await page.getByRole('status').getByText('was not taken').waitFor();
  await page.getByRole('status').getByText('the status 415').waitFor();
  await page.getByLabel('Encoding').selectOption('Protocol Buffers');
  await page.getByRole('button', { name: 'Send a test span' }).press('Enter');
  await page.getByRole('status').getByText('was taken').waitFor();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['test of telemetry']);
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText(receiver.endpoint).waitFor();
  expect((await stored()).telemetry).toEqual({ endpoint: receiver.endpoint, encoding: 'protobuf' });

  await page.getByRole('link', { name: 'Edit uat' }).press('Enter');
  await page.getByText('Last export: never').waitFor();
  await page.getByLabel('Prompts and answers').selectOption('Sent, as far as they are kept');
  await page.getByLabel('Connection', { exact: true }).fill('phoenix');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByRole('link', { name: 'Edit uat' }).waitFor();
  expect((await stored()).telemetry).toMatchObject({ connection: 'phoenix', content: 'full' });

  await page.getByRole('link', { name: 'Edit uat' }).press('Enter');
  await endpoint(page).fill('');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  // The hint of the form says too that runs are not exported.
  await page.getByRole('link', { name: 'Edit uat' }).waitFor();
  await page.getByText(receiver.endpoint).waitFor({ state: 'detached' });
  expect(await stored()).not.toHaveProperty('telemetry');
  await close();
});

test('mistakes of a test span and of the settings are shown at the field', async () => {
  const { page, close } = await opened();
  const mistaken = endpoint(page).and(page.locator('[aria-invalid="true"]'));
  await page.getByRole('button', { name: 'Send a test span' }).click();
  await mistaken.and(page.locator(':focus')).waitFor();
  await endpoint(page).fill('http://collector.example/v1/traces');
  await page.getByRole('button', { name: 'Send a test span' }).click();
  await page.getByText('must be an https URL').first().waitFor();
  await mistaken.and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Request id').waitFor();
  await mistaken.waitFor();
  expect(receiver.bodies).toEqual([]);
  await close();
});

test('whoever may only read sees the sink, and which permission a change needs', async () => {
  const { key, workspaceid } = caller;
  const telemetry = { endpoint: receiver.endpoint };
  const body = { pins: {}, env: {}, telemetry };
  await call('setEnvironment', { key, params: { environment: 'uat' }, query: { workspaceid }, body });
  const { email } = await invite({ orgid: caller.orgid, role: 'viewer', workspaces: [workspaceid] });
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, email, '/environments/uat');
  await page.getByText('assistants.flows:update').waitFor();
  expect(await endpoint(page).inputValue()).toBe(receiver.endpoint);
  expect(await page.getByRole('button', { name: 'Send a test span' }).count()).toBe(0);
  await close();
});

test.each(widths)('the form is accessible and fits at %s px', async (width) => {
  const { page, close } = await opened({ width });
  await endpoint(page).fill(receiver.endpoint);
  await page.getByRole('button', { name: 'Send a test span' }).click();
  await page.getByRole('status').getByText('was not taken').waitFor();
  await expectAccessibleInBoth(page, `console-telemetry-${width}`);
  await close();
});
