// Journeys through the pages of the web console that operate flows, against the local host.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
  takeScreenshot,
} from '#test/support/browser.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { consoleUrl, signInToConsole, widths } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { newTrigger } from '#test/support/triggers.ts';

let browser: Browser;
let caller: TestCaller;
let owner: string;
let viewer: string;
let agent: TestAgent;
let needy: TestAgent;
const crm = { type: 'http_bearer', hosts: ['api.crm.example'] };

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  const { orgid, workspaceid } = caller;
  const workspaces = [workspaceid];
  ({ email: owner } = await invite({ orgid, role: 'owner', workspaces }));
  ({ email: viewer } = await invite({ orgid, role: 'viewer', workspaces }));
  agent = await liveAgent({ flow: replyingFlow(), flowid: `nightly-report-${orgid.slice(-6)}` }, caller);
  needy = await liveAgent({ flow: needyFlow(), flowid: unique('invoices') }, caller);
  await startedRun(needy);
  await putConnection(caller, 'crm', {
    ...crm,
    credential: { token: 'hunter2-hunter2' },
    label: 'CRM token',
  });
  for (const [environment, env] of Object.entries({ test: { GREETING: 'Hi' }, live: { GREETING: 'Hello' } }))
    await call('setEnvironment', {
      key: caller.key,
      params: { environment },
      query: { workspaceid },
      body: { pins: environment === 'test' ? { [agent.flowid]: agent.a2aregistryid } : {}, env },
    });
  await earlyEvent();
  await call('createApiKey', {
    key: caller.key,
    body: { label: 'CI pipeline', scopes: ['assistants.flows:run'], workspaces },
  });
});
afterAll(() => browser?.close());

/** Uses one connection, and waits for the other one. */
const needyFlow = () =>
  flow({
    connections: { crm, billing: crm },
    egress: crm.hosts,
    start: 'read',
    nodes: {
      read: { type: 'http', url: 'https://api.crm.example/', connection: 'crm', next: 'done' },
      done: { type: 'end', output: {} },
    },
  });

/** An event that came before its flow had a live build. */
async function earlyEvent(flowid = unique('flow')): Promise<string> {
  const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
  await deliver(JSON.stringify(message));
  await idle();
  return message.triggerId;
}

const schedule = { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin' };

describe.each(widths)('%i px wide', (width) => {
  test('the pages are accessible and do not scroll sideways', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    const look = async (name: string) => {
      await expectAccessibleInBoth(page, `console-${name}-${width}`);
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
    await page.goto(consoleUrl('/connections'));
    await page.getByRole('table', { name: 'Connections', exact: true }).getByText('CRM token').waitFor();
    await page.getByRole('table', { name: 'Missing connections' }).waitFor();
    await look('connections');
    await page.goto(consoleUrl('/connections/new?type=oauth_user'));
    await page.getByLabel('Refresh token').waitFor();
    await look('connection');
    await page.goto(consoleUrl('/environments'));
    await page.getByText('GREETING').first().waitFor();
    await look('environments');
    await page.goto(consoleUrl('/environments/test'));
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await look('environment');
    await page.goto(consoleUrl('/dead-letters'));
    await page.getByRole('button', { name: 'Redrive 0 chosen' }).waitFor();
    await look('dead-letters');
    await page.goto(consoleUrl('/settings/keys'));
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    await look('keys');
    await page.goto(consoleUrl('/settings/keys/new'));
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await look('new-key');
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

describe('connections', () => {
  test('a refused value is explained at its field, which has the focus', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, owner, '/connections/new');
    await page.getByLabel('Name', { exact: true }).fill('ledger');
    await page.getByLabel('Hosts').fill('api.ledger.example https://ledger.example/');
    await page.getByLabel('Token', { exact: true }).fill('hunter2-hunter2');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByRole('alert').getByText('Request id').waitFor();
    const hosts = page.getByLabel('Hosts');
    expect(await hosts.getAttribute('aria-invalid')).toBe('true');
    expect(await hosts.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true);
    const described = await hosts.getAttribute('aria-describedby');
    const mistake = page.locator(`[id="${described?.split(' ')[0]}"]`);
    expect(await mistake.innerText()).toMatch(/^Entry 2: .*api\.example\.com/);
    expect(await page.getByRole('alert').getByText('/body/hosts').count()).toBe(0);
    await expectAccessible(page);
    await close();
  });

  test('a run that waits for one goes on when it is stored by the link of the run', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const name = unique('ledger').replaceAll('_', '-');
    const waiting = await liveAgent({ flow: flow({ connections: { [name]: crm } }) }, caller);
    const id = await startedRun(waiting);
    await idle();
    await signInToConsole(page, owner, `/runs/${id}`);
    await page.getByRole('link', { name: `Store ${name}` }).click();
    const token = page.getByLabel('Token', { exact: true });
    expect(await token.getAttribute('type')).toBe('password');
    await token.fill('hunter2-hunter2');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByRole('status').getByText('Completed').waitFor();
    expect(page.url()).toBe(consoleUrl(`/runs/${id}`));
    await open(page, '/connections');
    await page.getByRole('row').filter({ hasText: 'CRM token' }).getByText(needy.flowid).waitFor();
    await page.getByRole('button', { name: `Try the connection ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByRole('dialog').getByText('No answer from api.crm.example').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'console-try-connection');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The connection was deleted').first().waitFor();
    await close();
  });
});

describe('environments', () => {
  test('a variable is added; what somebody else has saved meanwhile is not overwritten', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, owner, '/environments/uat');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Variable').fill('REGION');
    await page.getByLabel('Value').fill('eu');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('REGION').waitFor();
    await page.getByRole('link', { name: 'Edit uat' }).click();
    await page.getByLabel('Value: REGION').fill('us');
    await call('setEnvironment', {
      key: caller.key,
      params: { environment: 'uat' },
      query: { workspaceid: caller.workspaceid },
      body: { pins: {}, env: { REGION: 'ap' } },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Load their version' }).click();
    await expect.poll(() => page.getByLabel('Value: REGION').inputValue()).toBe('ap');
    await close();
  });
});

test('a dead letter is redriven once its cause is fixed, and another one dismissed', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('flow');
  const [id, other] = [await earlyEvent(flowid), await earlyEvent()];
  await promoted(caller, await newRow(caller, { flowid, flow: replyingFlow() }));
  await signInToConsole(page, owner, '/runs');
  await page.getByRole('link', { name: 'Dead letters' }).click();
  await page.getByRole('checkbox', { name: `Choose ${id}` }).check();
  await page.getByRole('button', { name: 'Redrive 1 chosen' }).click();
  await page.getByText('It is in the queue again').first().waitFor();
  await idle();
  await open(page, `/runs/${id}`);
  await page.getByRole('status').getByText('Completed').waitFor();
  await open(page, '/dead-letters');
  await page.getByRole('button', { name: `Dismiss ${other}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: `Dismiss ${other}` }).waitFor({ state: 'detached' });
  await close();
});

test('dead letters are chosen, redriven and dismissed by keyboard alone', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('flow');
  const ids = [await earlyEvent(flowid), await earlyEvent(flowid)];
  await signInToConsole(page, owner, `/dead-letters?flowid=${flowid}`);
  const boxes = page.getByRole('checkbox', { name: /^Choose [0-9a-f]{8}/ });
  await boxes.nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Redrive 2 chosen' }).press('Enter');
  await page.getByText('2 are in the queue again').first().waitFor();
  await idle();
  await page.reload();
  await page.getByRole('button', { name: /^Redrive all/ }).press('Enter');
  await page.getByText('2 are in the queue again').first().waitFor();
  await idle();
  await page.reload();
  await page.getByRole('checkbox', { name: /^Choose all/ }).press('Space');
  await page.getByRole('button', { name: 'Dismiss 2 chosen' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Dismiss 2 chosen' }).press('Enter');
  await page.getByText('2 were dismissed').first().waitFor();
  for (const id of ids)
    await page.getByRole('button', { name: `Dismiss ${id}` }).waitFor({ state: 'detached' });
  await close();
});

test('a range of dead letters is chosen with Shift', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const flowid = unique('flow');
  for (let count = 0; count < 3; count++) await earlyEvent(flowid);
  await signInToConsole(page, owner, `/dead-letters?flowid=${flowid}&sort=-seen`);
  const boxes = page.getByRole('checkbox', { name: /^Choose [0-9a-f]{8}/ });
  await boxes.nth(2).waitFor();
  await boxes.nth(0).click();
  await boxes.nth(2).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Redrive 3 chosen' }).waitFor();
  await boxes.nth(1).uncheck();
  const all = page.getByRole('checkbox', { name: /^Choose all/ });
  expect(await all.evaluate((box) => box.matches(':indeterminate'))).toBe(true);
  await close();
});

test('an API key is issued by keyboard, its token shown once, and revoked', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, owner, '/settings/keys/new');
  await page.getByLabel('Label').fill('Nightly export');
  await page.getByLabel('Read flows, runs and settings').focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Label').focus();
  await page.keyboard.press('Enter');
  const token = page.getByRole('main').getByText(/^eyJ/);
  await token.waitFor();
  const { status } = await call('listRuns', {
    key: await token.innerText(),
    query: { workspaceid: caller.workspaceid },
  });
  expect(status).toBe(200);
  await page.getByRole('link', { name: 'To the keys' }).click();
  await page.getByRole('button', { name: 'Revoke Nightly export' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row').filter({ hasText: 'Nightly export' }).getByText('Revoked').waitFor();
  expect(await token.count()).toBe(0);
  await close();
});
