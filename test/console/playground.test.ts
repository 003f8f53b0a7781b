// Journeys through the playground in a real browser: agents called over A2A as a person sees it.
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
  takeScreenshot,
} from '#test/support/browser.ts';
import { card, flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { consoleUrl, inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { askingFlow, callingFlow, liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { invite } from '#test/support/person.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let browser: Browser;
let upstream: Upstream;
let caller: TestCaller;
let email: string;

beforeAll(async () => {
  [browser, upstream, caller] = await Promise.all([startBrowser(), startUpstream(), newCaller()]);
  email = await inviteOwner(caller);
});
afterAll(async () => {
  await browser?.close();
  await upstream?.close();
});

/** Writes the beginning of its answer, and the rest when the gate is opened. */
const writingFlow = (gate: string) =>
  flow({
    egress: [upstream.host],
    start: 'first',
    nodes: {
      first: {
        type: 'reply',
        text: 'The order was shipped',
        artifact: { artifact_id: 'answer' },
        next: 'stop',
      },
      stop: { type: 'http', url: `${upstream.url}/gate/${gate}`, next: 'second' },
      second: {
        type: 'reply',
        text: ' on Monday.',
        artifact: { artifact_id: 'answer', append: true, last_chunk: true },
        next: 'done',
      },
      done: { type: 'end', output: {} },
    },
  });

const talkTo = async (page: Page, { flowid }: TestAgent) =>
  await signInToConsole(page, email, `/playground?flowid=${flowid}&build=live`);

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const bubbles = (page: Page) => conversation(page).getByRole('listitem');

test.each(widths)('%i px wide, it is accessible', async (width) => {
  const { page, close } = await openBrowserPage(browser, { width });
  const agent = await liveAgent({ flow: askingFlow(), agent_card: card({ name: 'Refunds' }) }, caller);
  await talkTo(page, agent);
  await conversation(page).waitFor();
  await expectAccessibleInBoth(page, `console-playground-empty-${width}`);
  await say(page, 'the lamps');
  await page.getByRole('heading', { name: 'Refund the lamps?' }).waitFor();
  await page.getByRole('button', { name: 'JSON-RPC' }).click();
  await page.getByText('SendStreamingMessage').first().click();
  await expectAccessibleInBoth(page, `console-playground-${width}`);
  await close();
});

describe('an answer that is streamed', () => {
  test('is one bubble, and is taken up after a reload', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const gate = unique('gate');
    await talkTo(page, await liveAgent({ flow: writingFlow(gate) }, caller));
    await say(page, 'Where is my order?');
    await bubbles(page).getByText('The order was shipped', { exact: true }).waitFor();
    await page.waitForURL(/context=/);
    await page.reload();
    await bubbles(page).getByText('The order was shipped', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Running').waitFor();
    upstream.open(gate);
    await bubbles(page).getByText('The order was shipped on Monday.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Completed').waitFor();
    expect(await bubbles(page).filter({ hasText: 'The order' }).count()).toBe(1);
    await page.getByRole('link', { name: 'Open the run' }).click();
    await page.getByRole('treegrid', { name: 'Timeline' }).waitFor();
    await close();
  });

  test('goes on if its stream ends before the task does', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const gate = unique('gate');
    const agent = await liveAgent({ flow: writingFlow(gate) }, caller);
    await page.route(`**/api/v1/ai/a2a/${agent.flowid}/`, endStreamEarly);
    await talkTo(page, agent);
    await say(page, 'Where is my order?');
    await upstream.arrived(gate);
    upstream.open(gate);
    await bubbles(page).getByText('The order was shipped on Monday.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Completed').waitFor();
    await close();
  });
});

const request = z.looseObject({ id: z.string(), method: z.string(), params: z.looseObject({}) });

/** The first event of a message that is streamed, and no other. */
async function endStreamEarly(route: Route): Promise<void> {
  const asked = request.parse(route.request().postDataJSON());
  if (asked.method !== 'SendStreamingMessage') return await route.continue();
  const params = { ...asked.params, configuration: { returnImmediately: true } };
  const answer = await route.fetch({ postData: JSON.stringify({ ...asked, method: 'SendMessage', params }) });
  await route.fulfill({
    contentType: 'text/event-stream',
    body: `data: ${JSON.stringify(await answer.json())}\n\n`,
  });
}

describe('an agent that waits', () => {
  test('asks by a form, whose answer lets it go on', async () => {
    const { page, close } = await openBrowserPage(browser);
    await talkTo(page, await liveAgent({ flow: askingFlow() }, caller));
    await say(page, 'the lamps');
    await page.getByRole('button', { name: 'yes', exact: true }).click();
    await page.getByRole('status').getByText('Completed').waitFor();
    await bubbles(page).getByText('Refund the lamps?', { exact: true }).waitFor();
    await bubbles(page).filter({ hasText: 'Agent' }).getByText('yes', { exact: true }).waitFor();
    await close();
  });

  test('says why an answer was refused, and does not show it as said', async () => {
    const { page, close } = await openBrowserPage(browser);
    await talkTo(page, await liveAgent({ flow: askingFlow() }, caller));
    await say(page, 'the lamps');
    await page.getByRole('heading', { name: 'Refund the lamps?' }).waitFor();
    await say(page, 'maybe');
    await page.getByRole('alert').getByText('expected one of yes, no').waitFor();
    await bubbles(page).filter({ hasText: 'maybe' }).getByText('not sent').waitFor();
    await page.getByRole('button', { name: 'yes', exact: true }).press('Enter');
    const field = page.getByRole('textbox', { name: 'Message' });
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.getByRole('status').getByText('Completed').waitFor();
    await bubbles(page).filter({ hasText: 'maybe' }).getByText('not sent').waitFor();
    await close();
  });

  test('shows the link to a connection that is missing', async () => {
    const { page, close } = await openBrowserPage(browser);
    const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'] } };
    await talkTo(page, await liveAgent({ flow: flow({ connections }) }, caller));
    await say(page, 'Hello');
    const link = page.getByRole('link', { name: 'Store it' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toContain('/public/agent-config?');
    await close();
  });

  test('is called at its own address where another organisation has the short one', async () => {
    const { page, close } = await openBrowserPage(browser);
    const { flowid } = await liveAgent({ flow: callingFlow(upstream, ['count/other']) });
    await talkTo(page, await liveAgent({ flow: askingFlow(), flowid }, caller));
    await say(page, 'the lamps');
    await page.getByRole('heading', { name: 'Refund the lamps?' }).waitFor();
    await close();
  });

  test('is canceled', async () => {
    const { page, close } = await openBrowserPage(browser);
    const gate = unique('gate');
    await talkTo(page, await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) }, caller));
    await say(page, 'Hello');
    await upstream.arrived(gate);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').getByText('Canceled').waitFor();
    await close();
  });
});

test('who may only call agents finds those that are live, and talks to one', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320, scheme: 'dark' });
  const own = await newCaller();
  const [name, other] = [unique('Order desk'), unique('Refunds')];
  await liveAgent({ flow: replyingFlow(), agent_card: card({ name }) }, own);
  await liveAgent({ flow: replyingFlow(), agent_card: card({ name: other }) }, own);
  const foreign = await liveAgent(
    { flow: replyingFlow(), agent_card: card({ name: unique('Ledger') }) },
    caller,
  );
  const workspaces = [own.workspaceid];
  const { email: callerEmail } = await invite({ orgid: own.orgid, role: 'caller', workspaces });
  await signInToConsole(page, callerEmail);
  const agents = page.getByRole('list', { name: 'Agents that you may call' });
  await agents.getByRole('link', { name: other }).waitFor();
  await agents.getByRole('link', { name }).waitFor();
  expect(await agents.getByText(foreign.flowid).count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshot(page, 'console-caller-home-dark-320');
  await page.getByLabel('Search the agents').fill('refunds');
  await agents.getByRole('link', { name }).waitFor({ state: 'detached' });
  await page.getByLabel('Search the agents').fill(name);
  await agents.getByRole('link', { name }).press('Enter');
  await page.getByRole('heading', { name, exact: true }).waitFor();
  await say(page, 'Hello');
  await page.getByRole('status').getByText('Completed').waitFor();
  await page.getByRole('link', { name: 'Another agent' }).click();
  await agents.getByRole('link', { name }).waitFor();
  await expectAccessible(page);
  await close();
});

test('who may only call agents names one by its flow', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const { flowid } = await liveAgent({ flow: replyingFlow() }, caller);
  const workspaces = [caller.workspaceid];
  const { email: callerEmail } = await invite({ orgid: caller.orgid, role: 'caller', workspaces });
  await signInToConsole(page, callerEmail);
  await page.goto(consoleUrl('/playground'));
  await page.getByLabel('Flow id of the agent').fill(flowid);
  await page.getByRole('button', { name: 'Talk to it' }).click();
  await say(page, 'Hello');
  await page.getByRole('status').getByText('Completed').waitFor();
  expect(await page.getByRole('link', { name: 'Open the run' }).count()).toBe(0);
  await expectAccessible(page);
  await close();
});

test('the first answer takes two actions: to type, and to press Enter', async () => {
  const fresh = await newCaller();
  const person = await invite({ orgid: fresh.orgid, role: 'owner', workspaces: [fresh.workspaceid] });
  const gate = unique('gate');
  await liveAgent({ flow: writingFlow(gate), agent_card: card({ name: 'Order desk' }) }, fresh);
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, person.email);
  await page.getByText('Ask Order desk something').waitFor();
  await page.keyboard.type('Where is my order?');
  await page.keyboard.press('Enter');
  await bubbles(page).getByText('The order was shipped', { exact: true }).waitFor();
  upstream.open(gate);
  await bubbles(page).getByText('The order was shipped on Monday.', { exact: true }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'console-first-minute');
  await close();
});
