// The first visit to the console of `npm start`: who opens it is signed in, and nobody whom another site sends there.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { type LocalStart, startLocal } from '#test/support/local-start.ts';
import { sessionCookie } from '#test/support/person.ts';

let browser: Browser;
let home: string;
let local: LocalStart;
let other: Server;
let otherUrl: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-flow-at-once-'));
  [browser, local] = await Promise.all([startBrowser(), startLocal(home)]);
  other = createServer((_request, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(`<a href="${local.ready.baseUrl}/console">A gift</a>`),
  );
  // Another name is another site, whatever the port.
  otherUrl = (await listen(other, 0)).replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
  if (other) await closeServer(other);
  await rm(home, { recursive: true, force: true });
});

const consoleUrl = () => `${local.ready.baseUrl}/console`;

test('the first visit is signed in without a click; after signing out, people choose who they are', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await page.goto(consoleUrl());
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  expect(page.url()).toBe(consoleUrl());
  await page.goto(`${local.ready.baseUrl}/auth/session`);
  await page.getByText('as owner').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in locally' }).waitFor();
  await page.getByRole('button', { name: 'Olive Owner' }).waitFor();
  await close();
});

test('a link on another site gives no session', async () => {
  const { page, context, close } = await openBrowserPage(browser, { width: 1280 });
  await page.goto(otherUrl);
  await page.getByRole('link', { name: 'A gift' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  const cookies = await context.cookies(local.ready.baseUrl);
  expect(cookies.filter(({ name }) => name === sessionCookie)).toEqual([]);
  await close();
});
