// The configuration page for tests, as a browser without script uses it: links out of tasks, forms out of pages.
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { makeLink, readToken } from '#lib/run/configuration-link.ts';
import { readRun } from '#lib/run/run-items.ts';
import { agentUrls, asTask, officialClient, sending } from './a2a.ts';
import { flow } from './builders.ts';
import type { TestAgent } from './flows.ts';
import { liveAgent } from './flows.ts';

export interface WebPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The visible text. */
  readonly text: string;
  /** The code of an error page. */
  readonly code: string | undefined;
  readonly location: string | undefined;
}

async function toWebPage(response: Response): Promise<WebPage> {
  const html = await response.text();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  return {
    status: response.status,
    headers: response.headers,
    html,
    text: unescapeHtml(
      html
        .replace(/<(style|title)>[\s\S]*?<\/\1>/g, '')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' '),
    ).trim(),
    code: /<meta name="error-code" content="(\w+)">/.exec(html)?.[1],
    location: response.headers.get('location') ?? undefined,
  };
}

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|#96);/g, (entity) => entities[entity] ?? entity);
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#96;': '`',
};

export const openPage = async (url: string, init: RequestInit = {}): Promise<WebPage> =>
  await toWebPage(await fetchWithinQuota(url, { redirect: 'manual', ...init }));

/** Tests share a network address, whose requests are limited: asks again when the answer says. */
async function fetchWithinQuota(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(url, init);
    if (response.status !== 429) return response;
    await setTimeout(Number(response.headers.get('retry-after')) * 1_000);
  }
}

/** The hidden fields of the form of a page. */
export const hiddenFields = ({ html }: Pick<WebPage, 'html'>): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
      unescapeHtml(name ?? ''),
      unescapeHtml(value ?? ''),
    ]),
  );

type Fields = Readonly<Record<string, string>>;

/** As the browser sends the form of a page: what was typed, and the button. */
export const submitForm = async (url: string, fields: Fields, headers: Fields = {}): Promise<WebPage> =>
  await openPage(formAddress(url), formRequest(fields, headers));

/** The status of one form, also of one beyond a limit. */
export const submitOnce = async (url: string, fields: Fields): Promise<number> =>
  (await fetch(formAddress(url), { redirect: 'manual', ...formRequest(fields, {}) })).status;

function formAddress(url: string): string {
  const address = new URL(url);
  address.search = '';
  return address.href;
}

const formRequest = (fields: Fields, headers: Fields): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers: { 'sec-fetch-site': 'same-origin', origin: 'null', ...headers },
});

/** Opens the link, fills the form of the page in, and sends it. */
export async function fillIn(link: string, values: Readonly<Record<string, string>>): Promise<WebPage> {
  const page = await openPage(link);
  expect(page.status).toBe(200);
  const typed = Object.entries(values).map(([name, value]) => [`credential.${name}`, value]);
  return await submitForm(link, { ...hiddenFields(page), ...Object.fromEntries(typed), action: 'store' });
}

/** A task over A2A that waits for what its flow declares, and the link that its client was given. */
export async function waitingTask(
  connections: JsonObject,
  agent?: TestAgent,
): Promise<{ readonly agent: TestAgent; readonly id: string; readonly link: string }> {
  const used = agent ?? (await liveAgent({ flow: flow({ connections }) }));
  const client = await officialClient(agentUrls(used).agent, used.key);
  const task = asTask(await client.sendMessage(sending('Hello')));
  const data = task.status?.message?.parts[1]?.content?.value;
  return { agent: used, id: task.id, link: readLink(data) };
}

export function readLink(needs: unknown): string {
  const url =
    typeof needs === 'object' && needs !== null && 'configuration_url' in needs
      ? needs.configuration_url
      : '';
  expect(url).toMatch(/\/public\/agent-config\?registry_id=reg_\w+&task_id=[\w-]+&token=[\w.-]+$/);
  return String(url);
}

/** A link as it was made earlier: with the rights of this one, and expired for some seconds. */
export async function expiredLink(link: string, taskId: string, seconds = 60): Promise<string> {
  const run = await readRun(taskId);
  const url = new URL(link);
  const claims = run && (await readToken(run, url.searchParams.get('token') ?? ''));
  if (!run || !claims) throw new Error('The link is not of this task.');
  const expiresAt = Math.floor(Date.now() / 1_000) - seconds;
  return await makeLink(run, { ...claims, expiresAt });
}
