// The configuration page in a real browser, as people use it: by keyboard, on a phone, in both colour schemes.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expiredLink, waitingTask } from '#test/support/agent-config.ts';
import { type AuthorizationServer, startAuthorizationServer } from '#test/support/authorization-server.ts';
import {
  expectAccessible,
  openBrowserPage,
  startBrowser,
  takeScreenshot,
  type WatchedPage,
} from '#test/support/browser.ts';
import { card, flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { runState } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let browser: Browser;
let server: AuthorizationServer;
let upstream: Upstream;
beforeAll(async () => {
  [browser, server, upstream] = await Promise.all([
    startBrowser(),
    startAuthorizationServer(),
    startUpstream(),
  ]);
  console.info(`Chromium ${browser.version()}`);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await upstream?.close();
});

const secret = 'hunter2-hunter2-hunter2';
const hosts = ['api.crm.example', '*.files.crm.example'];
const crm = { type: 'http_bearer', hosts, label: 'CRM access token', scope: 'user' };

/** With a `gate`, the task continues until the gate is opened. */
async function supportTask(connections: object, gate?: string) {
  const agent_card = { ...card(), name: 'Support triage' };
  const declared = { connections: JSON.parse(JSON.stringify(connections)) };
  const ofTask = gate === undefined ? flow(declared) : callingFlow(upstream, [`gate/${gate}`], declared);
  const agent = await liveAgent({ flow: ofTask, agent_card });
  return await waitingTask({}, agent);
}

const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if (
      await page.evaluate(
        `document.activeElement?.id === ${JSON.stringify(name)} || document.activeElement?.value === ${JSON.stringify(name)}`,
      )
    )
      return;
  }
  throw new Error(`${name} cannot be reached by the Tab key.`);
};

test('a token is stored by keyboard alone, and the page says that the task is completed', async () => {
  const gate = unique('gate');
  const { link, agent, id } = await supportTask({ crm }, gate);
  const { page, close } = await openBrowserPage(browser);
  await page.goto(link);
  await expectAccessible(page);
  await tabTo(page, 'credential.token');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
  await page.keyboard.type(secret);
  await page.keyboard.press('Enter');
  await page.waitForURL(link);
  await page.getByRole('heading', { name: 'Thank you, it is stored' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'stored');
  upstream.open(gate);
  await idle();
  await page.getByRole('link', { name: 'Look again' }).click();
  await page.getByText('Task: completed').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'completed');
  expect((await runState(agent, id)).status).toBe('completed');
  await close();
});

const types: readonly (readonly [string, object, Readonly<Record<string, string>>])[] = [
  ['http_bearer', {}, { Token: secret }],
  ['http_header', {}, { 'Name of the header': 'X-API-Key', Value: secret }],
  ['http_query', {}, { 'Name of the parameter': 'api_key', Value: secret }],
  ['http_basic', {}, { 'User name': 'ada', Password: secret }],
  [
    'oauth_client_credentials',
    { scope: 'organization' },
    { 'Token URL': 'https://accounts.example/token', 'Client ID': 'flows', 'Client secret': secret },
  ],
  [
    'oauth_user',
    {},
    { 'Token URL': 'https://accounts.example/token', 'Client ID': 'flows', 'Refresh token': secret },
  ],
  [
    'aws_sigv4',
    { aws: { services: ['s3'], regions: ['eu-central-1'] } },
    { 'ARN of the role': 'arn:aws:iam::123456789012:role/agent-flow/search' },
  ],
];

describe.each([
  ['light', 320],
  ['dark', 320],
  ['light', 800],
  ['dark', 800],
] as const)('in the %s scheme, %i px wide', (scheme, width) => {
  test.each(types)('the form of %s is accessible and takes its values', async (type, some, values) => {
    const { link } = await supportTask({ crm: { ...crm, type, ...some } });
    const { page, close } = await openBrowserPage(browser, { scheme, width });
    await page.goto(link);
    await expectAccessible(page);
    await takeScreenshot(page, `form-${type}-${scheme}-${width}`);
    for (const [label, value] of Object.entries(values)) {
      const field = page.getByLabel(label, { exact: true });
      await field.fill(value);
      if (value === secret) expect(await field.getAttribute('type')).toBe('password');
    }
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByRole('heading', { name: 'Thank you, it is stored' }).waitFor();
    await expectAccessible(page);
    await close();
  });

  test('mistakes, an expired link, a link that is not known and no link are accessible pages', async () => {
    const { link, id } = await supportTask({
      crm: { ...crm, type: 'http_header' },
      mail: { ...crm, type: 'http_basic', label: 'Mail' },
    });
    const { page, close } = await openBrowserPage(browser, { scheme, width });
    const look = async (name: string) => {
      await expectAccessible(page);
      await takeScreenshot(page, `${name}-${scheme}-${width}`);
    };
    await page.goto(link);
    await look('two');
    await page.getByLabel('Name of the header').fill('Host');
    await page.getByLabel('Value').fill(secret);
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText('cannot be given').waitFor();
    expect(await page.getByLabel('Value').inputValue()).toBe('');
    expect(await page.getByLabel('Name of the header').inputValue()).toBe('Host');
    await look('mistakes');
    await page.goto(await expiredLink(link, id));
    await look('expired');
    await page.getByRole('button', { name: 'Get a new link' }).click();
    await page.getByLabel('Value').waitFor();
    await page.goto(`${link}x`);
    await look('unknown');
    await page.goto(link.replace(/\?.*/, ''));
    await look('no-link');
    await close();
  });
});

describe('Connect', () => {
  const start = async (some: object = {}, gate?: string): Promise<WatchedPage & { link: string }> => {
    const { link } = await supportTask({ calendar: server.connection(some) }, gate);
    const watched = await openBrowserPage(browser, { width: 320 });
    await watched.page.goto(link);
    return { ...watched, link };
  };

  test('takes the browser to the authorization server and back, and the task continues', async () => {
    const gate = unique('gate');
    const { page, close } = await start({}, gate);
    await expectAccessible(page);
    await takeScreenshot(page, 'connect');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Thank you, it is stored' }).waitFor();
    upstream.open(gate);
    await idle();
    await page.getByRole('link', { name: 'Look again' }).click();
    await page.getByText('Task: completed').waitFor();
    await close();
  });

  test('that is denied says so, and can be tried again', async () => {
    server.be('denying');
    const { page, close } = await start();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('You did not give access').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'denied');
    server.be('giving');
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Thank you, it is stored' }).waitFor();
    await close();
  });
});
