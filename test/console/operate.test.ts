// Journeys through the pages of the web console that operate flows, against the local host.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowserPage, startBrowser, takeScreenshot } from '#test/support/browser.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { consoleUrl, signInToConsole } from '#test/support/console-page.ts';
import { liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';
import { newTrigger } from '#test/support/triggers.ts';

let browser: Browser;
let caller: TestCaller;
let owner: string;
let viewer: string;
let agent: TestAgent;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  const { orgid, workspaceid } = caller;
  const workspaces = [workspaceid];
  ({ email: owner } = await invite({ orgid, role: 'owner', workspaces }));
  ({ email: viewer } = await invite({ orgid, role: 'viewer', workspaces }));
  agent = await liveAgent({ flow: replyingFlow(), flowid: `nightly-report-${orgid.slice(-6)}` }, caller);
});
afterAll(() => browser?.close());

const looks = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 320],
  ['dark', 320],
] as const;

const schedule = { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin' };

describe.each(looks)('in the %s scheme, %i px wide', (scheme, width) => {
  test('the pages are accessible and do not scroll sideways', async () => {
    const { page, close } = await openBrowserPage(browser, { scheme, width });
    const look = async (name: string) => {
      await expectAccessible(page);
      await takeScreenshot(page, `console-${name}-${scheme}-${width}`);
    };
    const timed = await newTrigger(agent, { kind: 'schedule', schedule, message: 'Write the report.' });
    const webhook = await newTrigger(agent, {
      kind: 'webhook',
      source: { type: 'github', events: ['push'] },
    });
    await signInToConsole(page, owner, '/triggers');
    await page.getByRole('table', { name: 'Triggers' }).getByText(timed.trigger_id).waitFor();
    await look('triggers');
    await page.goto(consoleUrl(`/triggers/${timed.trigger_id}`));
    await page.getByRole('list', { name: 'Next times' }).getByRole('listitem').first().waitFor();
    await look('trigger');
    await page.goto(consoleUrl(`/triggers/${webhook.trigger_id}`));
    await page.getByText('No secret is set').waitFor();
    await look('webhook');
    await page.goto(consoleUrl('/triggers/new'));
    await page.getByLabel('Cron expression').waitFor();
    await look('new-trigger');
    await close();
  });
});

const open = async (page: Page, path: string) => await page.goto(consoleUrl(path));

describe('triggers', () => {
  test('a schedule is declared, says when it runs, is disabled and deleted', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, owner, '/triggers');
    await page.getByRole('link', { name: 'New trigger' }).click();
    await page.getByLabel('Flow id').fill(agent.flowid);
    await page.getByLabel('Cron expression').fill('0 6 * * 1-5');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Message').fill('Write the report.');
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByText('At 06:00, Monday through Friday (Europe/Berlin)').waitFor();
    const times = page.getByRole('list', { name: 'Next times' }).getByRole('listitem');
    await times.first().waitFor();
    expect(await times.count()).toBe(5);
    for (const text of await times.allInnerTexts()) expect(text).toContain('06:00');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('No further time').waitFor();
    await page.getByText('Write the report.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The trigger was deleted').first().waitFor();
    expect(page.url()).toBe(consoleUrl('/triggers'));
    await close();
  });

  test('a webhook shows its address, and its new secret once', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const trigger = await newTrigger(agent, { kind: 'webhook', source: { type: 'github' } });
    await signInToConsole(page, owner, `/triggers/${trigger.trigger_id}`);
    await page.getByText(String(trigger.webhook_url)).waitFor();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    const secret = page.getByRole('main').getByText(/^whsec_/);
    await secret.waitFor();
    await page.reload();
    await page.getByText('In force since').waitFor();
    expect(await secret.count()).toBe(0);
    await close();
  });

  test('a change that somebody else has made meanwhile is not overwritten', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const trigger = await newTrigger(agent, { kind: 'api' });
    await signInToConsole(page, owner, `/triggers/${trigger.trigger_id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const other = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(other.page, owner, `/triggers/${trigger.trigger_id}`);
    await other.page.getByRole('button', { name: 'Disable' }).click();
    await other.page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByLabel('Message').fill('Hello');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').getByText('Request id').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await Promise.all([close(), other.close()]);
  });

  test('who may only read is offered nothing else', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const trigger = await newTrigger(agent, { kind: 'webhook', source: { type: 'github' } });
    await signInToConsole(page, viewer, '/triggers');
    await page.getByRole('table', { name: 'Triggers' }).getByText(trigger.trigger_id).click();
    await page.getByText('The address is shown to those who may change the trigger').waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await open(page, '/triggers?kind=schedule');
    await page.getByRole('heading', { name: 'Triggers', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'New trigger' }).count()).toBe(0);
    await close();
  });
});
