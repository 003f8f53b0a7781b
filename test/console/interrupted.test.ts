// People in the middle of something: their session ends, the service does not answer, another window was faster, a part of
// what they chose fails, or their role does not allow it.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowserPage, startBrowser, takeScreenshot } from '#test/support/browser.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { consoleUrl, inviteOwner, signInToConsole } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, replyingFlow } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  email = await inviteOwner(caller);
});
afterAll(() => browser?.close());

const viewerEmail = async () =>
  (await invite({ orgid: caller.orgid, role: 'viewer', workspaces: [caller.workspaceid] })).email;

describe('a session that ends', () => {
  test('leaves what was typed, and offers to sign in in another tab', async () => {
    const { page, context, close } = await openBrowserPage(browser, { width: 320, scheme: 'dark' });
    const { flowid } = await liveAgent({ flow: replyingFlow() }, caller);
    await signInToConsole(page, email, '/triggers/new');
    await page.getByLabel('Flow id').fill(flowid);
    await page.getByLabel('Cron expression').fill('0 6 * * 1-5');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create trigger' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('You are signed out').waitFor();
    const link = alert.getByRole('link', { name: 'Sign in (new tab)' });
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('href')).toBe(new URL('/auth/login', consoleUrl('')).href);
    await expectAccessible(page);
    await takeScreenshot(page, 'console-signed-out-dark-320');
    const other = await context.newPage();
    await signInToConsole(other, email);
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByText('At 06:00, Monday through Friday (Europe/Berlin)').waitFor();
    await close();
  });

  test('and the next one is of somebody else: nothing is left of the person before', async () => {
    const { page, context, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, email, '/settings/sessions');
    await page.clock.install();
    const stranger = await newCaller();
    const other = await context.newPage();
    await context.clearCookies();
    await signInToConsole(other, await inviteOwner(stranger));
    const reloaded = page.waitForEvent('load');
    await page.clock.fastForward(61_000);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await reloaded;
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menu').getByText(stranger.orgid).waitFor();
    await close();
  });
});

describe('a service that does not answer', () => {
  test('is asked also by a browser without a network, as it may be on the same machine', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, email, '/settings');
    await page.evaluate(`dispatchEvent(new Event('offline'))`);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('No runs yet').waitFor();
    await close();
  });

  test('is named where the code of a page cannot be loaded, and the page is loaded later', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, email, '/settings');
    await page.route('**/console**', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('link', { name: 'Environments' }).click();
    await page.getByText('The service does not answer').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The service does not answer').waitFor();
    await page.unroute('**/console**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Runs the live build of each flow').waitFor();
    await close();
  });
});

describe('of dead letters that were chosen', () => {
  const lateEvent = async (flowid: string): Promise<string> => {
    const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
    await deliver(JSON.stringify(message));
    await idle();
    return message.triggerId;
  };

  test('those that cannot be redriven stay chosen, with the reason, and are tried again', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const flowid = unique('flow');
    for (let count = 0; count < 3; count++) await lateEvent(flowid);
    await signInToConsole(page, email, `/dead-letters?flowid=${flowid}`);
    const answers = [
      {
        status: 503,
        body: '{"title":"The service is busy","code":"unavailable"}',
        headers: { 'x-request-id': 'r-1' },
      },
      { status: 404, body: '{"title":"No such dead letter","code":"dead_letter_not_found"}' },
    ];
    await page.route('**/dead-letters/*/redrive?*', (route) => {
      const answer = answers.shift();
      return answer
        ? route.fulfill({ contentType: 'application/problem+json', ...answer })
        : route.continue();
    });
    await page.getByRole('checkbox', { name: /^Choose all/ }).check();
    await page.getByRole('button', { name: 'Redrive 3 chosen' }).click();
    await page.getByText('It could not be redriven').waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText('The service is busy').waitFor();
    await alert.getByText('r-1').waitFor();
    await page.getByRole('button', { name: 'Redrive 1 chosen' }).waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'console-redrive-failed-light-1280');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Redrive 0 chosen' }).waitFor();
    await close();
  });

  test('the filter keeps the focus when it applies', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await signInToConsole(page, email, '/dead-letters');
    const filter = page.getByRole('searchbox', { name: 'Flow id' });
    await filter.fill('orders');
    await filter.press('Enter');
    await page.waitForURL(consoleUrl('/dead-letters?flowid=orders'));
    expect(await filter.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await close();
  });
});

describe('a role', () => {
  test.each([
    ['/triggers/new', 'assistants.flows:create'],
    ['/connections/new', 'connections:write'],
    ['/settings/keys', 'apikeys:read'],
    ['/settings/audit', 'audit:read'],
  ])('that does not allow %s says which permission is missing', async (path, permission) => {
    const { page, close } = await openBrowserPage(browser, { width: 320 });
    await signInToConsole(page, await viewerEmail(), path);
    await page.getByRole('heading', { name: 'Your role does not allow this page' }).waitFor();
    await page.getByText(`It needs the permission ${permission}`).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await expectAccessible(page);
    await close();
  });
});

test('an API key for no workspace is not issued', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, email, '/settings/keys/new');
  await page.getByLabel('Label').fill('Nowhere');
  await page.getByRole('group', { name: 'Workspaces' }).getByRole('checkbox', { checked: true }).uncheck();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('alert').getByText('Choose at least one workspace').waitFor();
  await page.goto(consoleUrl('/settings/keys'));
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  expect(await page.getByText('Nowhere').count()).toBe(0);
  await close();
});

test('the owner of a new organisation creates its first workspace', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320, scheme: 'dark' });
  const { email: owner, orgid } = await invite({ role: 'owner' });
  await page.goto(consoleUrl(''));
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').fill(owner);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(`a member of ${orgid}`).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'console-first-workspace-dark-320');
  await page.getByLabel('Name').fill('Support');
  await page.getByLabel('Id').fill('not an id');
  await page.getByRole('button', { name: 'Create a workspace' }).click();
  await page.getByRole('alert').getByText('Request id').waitFor();
  expect(await page.getByLabel('Id').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Id').fill('');
  await page.getByRole('button', { name: 'Create a workspace' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.getByRole('banner').getByText('Support').waitFor();
  await close();
});
