// Who has called an agent: on the page of a promotion, in the list of runs and in a run; and its replays.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, newMessage, rpc } from '#test/support/a2a.ts';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { card, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { inviteOwner, signInToConsole, consoleUrl as url, widths } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { startedRun } from '#test/support/run-calls.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;
/** Its first build was called by two keys, and over A2A by one of another organisation; the second one by a person. */
let agent: TestAgent & { readonly second: string };
let other: TestCaller;
let stranger: TestCaller;
let pipeline: string;
const orderCard = card({ name: 'Orders', description: 'Tells where an order is.' });

beforeAll(async () => {
  [browser, caller, stranger] = await Promise.all([startBrowser(), newCaller(), newCaller()]);
  email = await inviteOwner(caller);
  other = await newCaller({ orgid: caller.orgid, workspaces: [caller.workspaceid] });
  const live = await liveAgent(
    { visibility: 'public', flowid: unique('orders'), agent_card: orderCard },
    caller,
  );
  const body = {
    label: 'Nightly pipeline',
    scopes: ['assistants.flows:run'],
    workspaces: [caller.workspaceid],
  };
  const issued = (await call('createApiKey', { key: caller.key, body })).body;
  pipeline = issued.keyid;
  await startedRun({ ...live, key: other.key });
  await startedRun({ ...live, key: other.key });
  await startedRun({ ...live, key: issued.token });
  await rpc(agentUrls(live).live, stranger.key, 'SendMessage', { message: newMessage('Hi') });
  const second = await newRow(caller, { flowid: live.flowid, agent_card: orderCard });
  await idle();
  agent = { ...live, second: second.a2aregistryid };
});
afterAll(async () => await browser?.close());

const open = async (page: Page, path: string) => await signInToConsole(page, email, path);
const buildPath = ({ flowid, second }: typeof agent) => `/agents/${flowid}/builds/${second}`;
const callers = (page: Page) => page.getByRole('list', { name: 'Last callers' }).getByRole('listitem');

test.each(widths)('callers are shown %i px wide, accessibly', async (width) => {
  const { page, close } = await openBrowserPage(browser, { width });
  await open(page, buildPath(agent));
  await callers(page).getByText('Nightly pipeline').waitFor();
  await expectAccessibleInBoth(page, `console-callers-${width}`);
  await page.goto(url(`/runs?created_by=${other.id}`));
  await page.getByRole('button', { name: `Remove the filter Caller ${other.id}` }).waitFor();
  await expectAccessibleInBoth(page, `console-runs-of-caller-${width}`);
  await close();
});

describe('the page of a promotion', () => {
  test('names who called the agent last, how often and which build, and nobody of another organisation', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    await open(page, buildPath(agent));
    await callers(page).first().waitFor();
    const texts = await callers(page).allInnerTexts();
    expect(texts.map((text) => text.split('\n').slice(0, 3))).toEqual([
      ['another organisation', '1 call', 'Build 1'],
      ['Nightly pipeline', '1 call', 'Build 1'],
      [other.id, '2 calls', 'Build 1'],
    ]);
    await page.getByText('Who began the 4 runs of this agent, of any build.').waitFor();
    expect(await page.content()).not.toContain(stranger.id);
    await callers(page).getByRole('link', { name: other.id }).click();
    await page.getByRole('heading', { name: '2 runs' }).waitFor();
    await close();
  });

  test('says so where nobody has called it', async () => {
    const { page, close } = await openBrowserPage(browser, { width: 1280 });
    const flowid = unique('flow');
    await promoted(caller, await newRow(caller, { flowid }));
    const { a2aregistryid } = await newRow(caller, { flowid });
    await open(page, `/agents/${flowid}/builds/${a2aregistryid}`);
    await page.getByText('Nobody has called this agent yet.').waitFor();
    expect(await callers(page).count()).toBe(0);
    await close();
  });
});

test('the list of runs has the caller of each, and the runs of one caller until the filter is removed', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page, `/runs?created_by=${pipeline}`);
  const cells = page.getByRole('table', { name: 'Runs' }).getByRole('cell', { name: 'Nightly pipeline' });
  await cells.first().waitFor();
  expect(await cells.count()).toBe(1);
  await page.getByRole('button', { name: `Remove the filter Caller ${pipeline}` }).click();
  await page.getByRole('cell', { name: 'another organisation' }).first().waitFor();
  expect(page.url()).toBe(url('/runs'));
  await close();
});

test('a run names its caller, and leads to the runs that repeat it', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const id = await startedRun(agent);
  await idle();
  const replay = await call('replayRun', { key: agent.key, params: { workflow_id: id }, body: {} });
  await idle();
  await open(page, `/runs/${id}`);
  await page.getByRole('link', { name: caller.id }).waitFor();
  await page.getByRole('link', { name: 'Replays of this run' }).click();
  await page.getByRole('button', { name: `Remove the filter Replays of ${id}` }).waitFor();
  await page.getByRole('heading', { name: '1 run', exact: true }).waitFor();
  await page.getByRole('table').getByRole('link', { name: agent.flowid }).click();
  await page.waitForURL(url(`/runs/${replay.body.workflow_id}`));
  await close();
});

test('the panel of a node has the tokens and the cost of all attempts, also of those that failed', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const script = newModelScript();
  const ask = { type: 'llm', prompt: '{{ input.message }}', next: 'done' };
  const retry = { max_attempts: 2, on: ['model.refused'], delay_ms: 0 };
  const nodes = { ask: { ...ask, retry }, done: { type: 'end', output: {} } };
  const asking = await liveAgent({ flow: flow({ models: scriptedModels, start: 'ask', nodes }) }, caller);
  const id = await startedRun(asking, script.prompt);
  const tokens = { input: 1_800, output: 30 };
  await script.answer('I cannot', 1, { reason: 'content_filter', tokens });
  await script.answer('Yes', 2, { tokens });
  await idle();
  await open(page, `/runs/${id}`);
  await page.getByRole('row', { name: /^ask/ }).click();
  const panel = page.getByRole('complementary', { name: 'Node execution' });
  await panel.getByText('3,600 → 60').waitFor();
  await panel.getByText('$0.0117').waitFor();
  await close();
});
