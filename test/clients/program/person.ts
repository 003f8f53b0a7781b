// A person at a browser without script: follows the address that a client opens, signs in with one click, allows the
// client, and lands at its redirect URI.
import { setTimeout } from 'node:timers/promises';
import { readForm, readRedirect } from '#test/support/oauth.ts';
import { Browser } from '#test/support/person.ts';

const redirectsMax = 20;

/** The address at which the browser arrives, that of the client, which is not requested. */
export async function allow(authorizeUrl: string): Promise<URL> {
  const browser = new Browser();
  let page = await open(browser, authorizeUrl);
  if (page.text.includes('name="user"')) page = await submit(browser, page, { user: 'caller' });
  if (!page.text.includes('name="action" value="allow"'))
    throw new Error(`There is no consent page at ${page.url}: ${page.status} ${page.text}`);
  const answered = await submit(browser, page, { action: 'allow' });
  return readRedirect(answered.text);
}

/** Stores a token on the page for the connections of a task. */
export async function storeConnection(link: string): Promise<void> {
  const browser = new Browser();
  const page = await open(browser, link);
  const address = new URL(link);
  address.search = '';
  const fields = { 'credential.token': 'a-token-of-the-shop', action: 'store' };
  const stored = await submit(browser, { ...page, url: address.href }, fields);
  if (!stored.text.includes('Thank you')) throw new Error(`Nothing was stored: ${stored.text}`);
}

interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

async function open(browser: Browser, url: string, init?: RequestInit): Promise<Page> {
  let at = url;
  let response = await send(browser, at, init);
  for (let count = 0; count < redirectsMax; count += 1) {
    const location = response.headers.get('location');
    if (location === null) return { url: at, status: response.status, text: await response.text() };
    at = new URL(location, at).href;
    response = await send(browser, at);
  }
  throw new Error(`Too many redirects, the last one to ${at}.`);
}

/** All clients have one network address, whose requests are limited: a person waits, and tries again. */
async function send(browser: Browser, url: string, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await browser.fetch(url, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    await setTimeout(1_000 * Number(response.headers.get('retry-after') ?? 10));
  }
}

/** Sends the form of the page, as a browser does. */
async function submit(
  browser: Browser,
  { url, text }: Page,
  fields: Readonly<Record<string, string>>,
): Promise<Page> {
  const form = readForm(text);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' };
  return await open(browser, url, { method: 'POST', body: form, headers });
}
