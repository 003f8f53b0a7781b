// Sign-in in a real browser, as people use it: with one click, by keyboard, on a phone, without script.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleUsers } from '#lib/local/sample-users.ts';
import {
  expectAccessible,
  openBrowserPage,
  startBrowser,
  tabTo,
  takeScreenshot,
} from '#test/support/browser.ts';
import { invite, newEmail, sessionCookie, startSignIn, Browser as Visitor } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  for (const { email, role } of sampleUsers) await invite({ email, role });
});
afterAll(async () => await browser?.close());

const sessionPage = () => `${serviceUrl()}/auth/session`;
const heading = async (page: Page, name: string) => await page.getByRole('heading', { name }).waitFor();
const signedInCookies = async (page: Page) =>
  (await page.context().cookies(serviceUrl())).filter(({ name }) => name === sessionCookie);

async function signInAs(page: Page, email: string, isVerified = true): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  if (!isVerified) await page.getByLabel('Is the address verified?').selectOption('no');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const)('in the %s scheme, %i px wide', (scheme, width) => {
  test.each(sampleUsers)('$name signs in with one click, and signs out', async ({ name, role }) => {
    const { page, close } = await openBrowserPage(browser, { scheme, width });
    const look = async (what: string) => {
      await expectAccessible(page);
      await takeScreenshot(page, `sign-in-${what}-${scheme}-${width}`);
    };
    await page.goto(sessionPage());
    await heading(page, 'You are not signed in');
    await look('none');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in locally');
    await look('provider');
    await page.getByRole('button', { name: `${name}, ${role}` }).click();
    await heading(page, 'You are signed in');
    expect(page.url()).toBe(sessionPage());
    await page.getByText(`as ${role}`).waitFor();
    await look(role);
    expect(await signedInCookies(page)).toMatchObject([{ httpOnly: true, sameSite: 'Lax', path: '/' }]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are not signed in');
    expect(await signedInCookies(page)).toEqual([]);
    // The provider asks again who it is.
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in locally');
    await close();
  });

  test('who cannot sign in sees why, and can try again', async () => {
    const { page, close } = await openBrowserPage(browser, { scheme, width });
    const look = async (what: string) => {
      await expectAccessible(page);
      await takeScreenshot(page, `sign-in-${what}-${scheme}-${width}`);
    };
    await page.goto(`${serviceUrl()}/auth/login`);
    const email = newEmail();
    await signInAs(page, email);
    await heading(page, 'You are not a member');
    await page.getByText(email).first().waitFor();
    await look('no-member');
    await page.getByRole('link', { name: 'Sign in as somebody else' }).click();
    await signInAs(page, newEmail(), false);
    await page.getByText('has not verified your e-mail address').waitFor();
    await look('not-verified');
    await page.goto(`${serviceUrl()}/auth/login?return_to=//evil.example`);
    await page.getByText('must be the path of a page').waitFor();
    await look('bad-return');
    await page.goto(`${serviceUrl()}/auth/callback?error=access_denied`);
    await look('failed');
    await page.getByRole('link', { name: 'Try again' }).click();
    // The provider knows who it was.
    await heading(page, 'You are not a member');
    expect(await signedInCookies(page)).toEqual([]);
    await close();
  });
});

test('an answer that another browser has asked for signs nobody in', async () => {
  const { page, close } = await openBrowserPage(browser);
  await page.goto(await startSignIn(new Visitor(), newEmail()));
  await page.getByText('This browser did not start this sign-in').waitFor();
  expect(await signedInCookies(page)).toEqual([]);
  await takeScreenshot(page, 'sign-in-other-browser');
  await close();
});

test('the keyboard alone signs in and out', async () => {
  const { page, close } = await openBrowserPage(browser);
  await page.goto(sessionPage());
  await tabTo(page, 'link', 'Sign in');
  await page.keyboard.press('Enter');
  await heading(page, 'Sign in locally');
  await tabTo(page, 'button', 'Ben Builder');
  await page.keyboard.press('Enter');
  await heading(page, 'You are signed in');
  await tabTo(page, 'button', 'Sign out');
  await page.keyboard.press('Enter');
  await heading(page, 'You are not signed in');
  await close();
});

test('a browser without script signs in and out', async () => {
  const { page, close } = await openBrowserPage(browser, { hasScript: false });
  await page.goto(sessionPage());
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Cara Caller' }).click();
  await heading(page, 'You are signed in');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'You are not signed in');
  await close();
});

test('going back after signing out shows nothing of the session', async () => {
  const { page, close } = await openBrowserPage(browser);
  await page.goto(sessionPage());
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'You are not signed in');
  await page.goBack();
  await heading(page, 'You are not signed in');
  expect(await page.content()).not.toContain('Olive');
  await close();
});
