// The web console in the browser of a test.
import type { Page } from 'playwright-core';
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';
import { invite, signIn, Browser as Visitor } from './person.ts';
import { serviceUrl } from './service-url.ts';

export const consoleUrl = (path: string): string => `${serviceUrl()}/console${path}`;

/** In which every page must be accessible, in pixels: that of a desk, and that of a narrow phone. */
export const widths = [1280, 320] as const;

/** The e-mail address of a new owner of the workspace, which gets a name. */
export async function inviteOwner({ key, orgid, workspaceid }: TestCaller): Promise<string> {
  await call('createWorkspace', { key, body: { workspaceid, name: 'Shop' } });
  return (await invite({ orgid, role: 'owner', workspaces: [workspaceid] })).email;
}

/** With a session from requests alone: two pages fewer to load than through those of the identity provider. */
export async function signInToConsole(page: Page, email: string, path = ''): Promise<void> {
  const visitor = new Visitor();
  await signIn(visitor, email);
  const cookies = [...(visitor.cookies.get(new URL(serviceUrl()).origin) ?? [])];
  await page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url: serviceUrl() })));
  await page.goto(consoleUrl(path));
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Through the pages of the local identity provider. */
export async function signInByPages(page: Page, email: string, path = ''): Promise<void> {
  await page.goto(consoleUrl(path));
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
