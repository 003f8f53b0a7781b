// Sign-in and consent in a real browser, as a client on the same device opens them: up to its redirect URI, by keyboard,
// on a phone, without script.
import { createServer } from 'node:http';
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operatorId } from '#lib/access/principal.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { sampleUsers } from '#lib/local/sample-users.ts';
import { insertWorkspace } from '#lib/workspace/workspace-items.ts';
import {
  expectAccessible,
  openBrowserPage,
  startBrowser,
  tabTo,
  takeScreenshot,
} from '#test/support/browser.ts';
import { unique } from '#test/support/caller.ts';
import { authorizeUrl, newClient, newPkce, readTokens, requestToken } from '#test/support/oauth.ts';
import { invite, newEmail } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

let browser: Browser;
let redirectUri: string;
const clientServer = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    '<!doctype html><html lang="en"><title>Client</title><link rel="icon" href="data:,"><h1>Connected</h1>',
  );
});
beforeAll(async () => {
  redirectUri = `${await listen(clientServer, 0)}/callback`;
  browser = await startBrowser();
  for (const { email, role } of sampleUsers) await invite({ email, role });
});
afterAll(async () => {
  await browser?.close();
  await closeServer(clientServer);
});

const heading = async (page: Page, name: string | RegExp) =>
  await page.getByRole('heading', { name, level: 1 }).waitFor();

/** The address that the client opens, and the exchange of the code that it gets. */
async function newRequest(metadata: object = {}) {
  const client = await newClient({
    client_name: 'Notes for teams',
    redirect_uris: ['http://127.0.0.1/callback'],
    ...metadata,
  });
  const pkce = newPkce();
  const url = authorizeUrl(client.client_id, pkce, { redirect_uri: redirectUri });
  const exchange = async (page: Page) =>
    await readTokens(
      await requestToken({
        grant_type: 'authorization_code',
        client_id: client.client_id,
        code: new URL(page.url()).searchParams.get('code') ?? '',
        code_verifier: pkce.verifier,
        redirect_uri: redirectUri,
      }),
    );
  return { url, exchange };
}

async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const nameWorkspaces = async (orgid: string, names: readonly string[]) => {
  const at = new Date().toISOString();
  const by = { created_by: operatorId, updated_by: operatorId, created_at: at, updated_at: at };
  for (const [n, name] of names.entries())
    await insertWorkspace({ workspaceid: `ws-${n}`, orgid, name, version: 1, ...by });
};

const parametersOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const answer = () => ({ state: 'state-of-the-client', iss: serviceUrl() });

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const)('in the %s scheme, %i px wide', (scheme, width) => {
  const open = async (url: string) => {
    const watched = await openBrowserPage(browser, { scheme, width });
    await watched.page.goto(url);
    const look = async (what: string) => {
      await expectAccessible(watched.page);
      await takeScreenshot(watched.page, `consent-${what}-${scheme}-${width}`);
    };
    return { ...watched, look };
  };

  test('a sample user signs in with one click, allows the client, and it gets tokens', async () => {
    const { url, exchange } = await newRequest();
    const { page, look, close } = await open(url);
    await heading(page, 'Sign in locally');
    await page.getByRole('button', { name: 'Cara Caller' }).click();
    await heading(page, 'Notes for teams asks for access');
    await page.getByText('a program on this device').waitFor();
    await page.getByText('Find and list the agents that you may call.').waitFor();
    await look('page');
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Connected');
    expect(parametersOf(page)).toEqual({ ...answer(), code: expect.any(String) });
    expect(await exchange(page)).toMatchObject({ scope: 'agents:read agents:call' });
    await close();
  });

  test('a user who refuses is sent back to the client, which gets nothing', async () => {
    const { url } = await newRequest();
    const { email } = await invite({ workspaces: ['support', 'sales'] });
    const { page, look, close } = await open(url);
    await signInAs(page, email);
    await heading(page, 'Notes for teams asks for access');
    await page.getByLabel('sales').uncheck();
    await look('workspaces');
    await page.getByLabel('support').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').waitFor();
    await look('mistake');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await heading(page, 'Connected');
    expect(parametersOf(page)).toMatchObject({ ...answer(), error: 'access_denied' });
    await close();
  });

  test('a member of the whole organisation chooses one of its workspaces', async () => {
    const { email, orgid } = await invite();
    const names = [
      'Sales',
      'Customer support in Europe, the Middle East and Africa',
      'Legal',
      'Finance',
      'IT',
    ];
    await nameWorkspaces(orgid, [...names, 'Human resources']);
    const { url, exchange } = await newRequest();
    const { page, look, close } = await open(url);
    await signInAs(page, email);
    await heading(page, 'Notes for teams asks for access');
    expect(await page.getByLabel('Legal').isVisible()).toBe(false);
    await look('all-workspaces');
    await page.getByText('Only some workspaces').click();
    await page.getByLabel('Legal').check();
    await look('some-workspaces');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').waitFor();
    await look('all-and-some-workspaces');
    await page.getByLabel('All workspaces').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Connected');
    expect(decodeJwt((await exchange(page)).access_token).ws).toEqual(['ws-2']);
    await close();
  });

  test('a member of two organisations chooses the one that the client is for', async () => {
    const email = newEmail();
    const [first, second] = [await invite({ email }), await invite({ email, role: 'viewer' })];
    const { url, exchange } = await newRequest({
      client_name: `${'Long name of a client '.repeat(4)}${unique('x')}`,
    });
    const { page, look, close } = await open(url);
    await signInAs(page, email);
    await page.goto(`${serviceUrl()}/auth/login?orgid=${first.orgid}`);
    await page.goto(`${serviceUrl()}/auth/login?orgid=${second.orgid}`);
    await page.goto(url);
    await page.getByLabel('For which organisation?').selectOption(first.orgid);
    await page.getByRole('button', { name: 'Change the organisation' }).click();
    await page.getByText(`leave ${first.orgid}`).waitFor();
    await look('organisations');
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Connected');
    expect(decodeJwt((await exchange(page)).access_token).org).toBe(first.orgid);
    await close();
  });

  test('a request of a client that is not known says so, and goes nowhere', async () => {
    const { page, look, close } = await open(authorizeUrl('dcr_unknown', newPkce()));
    await heading(page, 'The program cannot be connected');
    await look('unknown-client');
    await close();
  });
});

test('the keyboard alone signs in and allows', async () => {
  const { url } = await newRequest();
  const { page, close } = await openBrowserPage(browser);
  await page.goto(url);
  await tabTo(page, 'button', 'Ben Builder');
  await page.keyboard.press('Enter');
  await heading(page, 'Notes for teams asks for access');
  await tabTo(page, 'button', 'Allow');
  await page.keyboard.press('Enter');
  await heading(page, 'Connected');
  expect(parametersOf(page)).toMatchObject({ ...answer(), code: expect.any(String) });
  await close();
});

test('the keyboard alone chooses workspaces, without script', async () => {
  const { email, orgid } = await invite();
  await nameWorkspaces(orgid, ['Sales', 'Support', 'Legal', 'Finance', 'IT', 'Human resources']);
  const { url, exchange } = await newRequest();
  const { page, close } = await openBrowserPage(browser, { hasScript: false });
  await page.goto(url);
  await signInAs(page, email);
  await heading(page, 'Notes for teams asks for access');
  for (const key of ['Tab', 'Space', 'Tab', 'Enter', 'Tab', 'Space', 'Tab', 'Tab', 'Space'])
    await page.keyboard.press(key);
  await tabTo(page, 'button', 'Allow');
  await page.keyboard.press('Enter');
  await heading(page, 'Connected');
  // In the order of names.
  expect(decodeJwt((await exchange(page)).access_token).ws).toEqual(['ws-3', 'ws-4']);
  await close();
});

test('a browser without script signs in and allows, and signs in no second time', async () => {
  const [first, second] = [await newRequest(), await newRequest({ client_name: 'Another client' })];
  const { page, close } = await openBrowserPage(browser, { hasScript: false });
  await page.goto(first.url);
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await heading(page, 'Connected');
  await page.goto(second.url);
  await heading(page, 'Another client asks for access');
  await page.getByRole('button', { name: 'Refuse' }).click();
  await heading(page, 'Connected');
  expect(parametersOf(page)).toMatchObject({ error: 'access_denied' });
  await close();
});

test('going back after the answer gives no second code', async () => {
  const { url } = await newRequest();
  const { page, close } = await openBrowserPage(browser);
  await page.goto(url);
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  const consent = page.url();
  await page.getByRole('button', { name: 'Allow' }).click();
  await heading(page, 'Connected');
  await page.goto(consent);
  expect(await page.content()).not.toContain('value="allow"');
  await expectAccessible(page);
  await takeScreenshot(page, 'consent-answered');
  await close();
});
