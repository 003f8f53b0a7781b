// The web console in the browser of a test.
import type { Page } from 'playwright-core';
import { serviceUrl } from './service-url.ts';

export const consoleUrl = (path: string): string => `${serviceUrl()}/console${path}`;

/** Through the pages of the local identity provider. */
export async function signInToConsole(page: Page, email: string, path = ''): Promise<void> {
  await page.goto(consoleUrl(path));
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
