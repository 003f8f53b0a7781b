// Names as long as the service takes them, in a window 320 pixels wide: nothing is cut that cannot be read, and no page
// scrolls sideways.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCutTexts, listSideways, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { card, flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { consoleUrl, inviteOwner, signInToConsole } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { newTrigger } from '#test/support/triggers.ts';

/** One word, as German makes them. */
const word = 'Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz';
const longId = (first: string) => `${first}-${word}`.slice(0, 64);
const longName = `${word}${word}`.slice(0, 100);
const node = `n_${word.toLowerCase()}`.slice(0, 64);
const secret = { type: 'http_bearer', hosts: [`${'a'.repeat(60)}.${'b'.repeat(60)}.example`] };

let browser: Browser;
let caller: TestCaller;
let email: string;
let agent: TestAgent;
let asking: TestAgent;
let failed: string;
let asked: string;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  const { key, workspaceid, orgid } = caller;
  email = await inviteOwner(caller);
  const own = orgid.slice(-8);
  const agent_card = card({ name: longName, description: longName, tags: [word.slice(0, 50)] });
  agent = await liveAgent({ flowid: longId(`a${own}`), agent_card, flow: failing() }, caller);
  await newRow(caller, {
    flowid: agent.flowid,
    agent_card,
    flow: needy(),
    label: word.slice(0, 60),
    note: longName,
    env_variable: { [word.toUpperCase().slice(0, 60)]: longName },
  });
  asking = await liveAgent({ flowid: longId(`q${own}`), flow: asks() }, caller);
  failed = await startedRun(agent, longName);
  asked = await startedRun(asking, longName);
  await putConnection(caller, longId('crm').toLowerCase(), {
    ...secret,
    credential: { token: 'hunter2-hunter2' },
    label: longName,
  });
  await call('setEnvironment', {
    key,
    params: { environment: 'test' },
    query: { workspaceid },
    body: {
      pins: { [agent.flowid]: agent.a2aregistryid },
      env: { [word.toUpperCase().slice(0, 60)]: longName },
    },
  });
  await deliver(JSON.stringify(webhookMessage({ ...caller, flowid: longId('late'), a2aregistryid: '' })));
  const body = { label: longName, scopes: ['assistants.flows:run'], workspaces: [workspaceid] };
  await call('createApiKey', { key, body });
  await idle();
});
afterAll(() => browser?.close());

const failing = () =>
  flow({
    name: longName,
    start: node,
    nodes: {
      [node]: { type: 'fail', title: longName, code: word.toLowerCase().slice(0, 40), message: longName },
    },
  });
const asks = () =>
  flow({
    start: node,
    nodes: {
      [node]: { type: 'ask', prompt: longName, choices: [longName, word], next: 'done' },
      done: { type: 'end', output: { [word]: longName } },
    },
  });
const needy = () =>
  flow({
    connections: { [word.toLowerCase().slice(0, 40)]: secret },
    egress: secret.hosts,
    start: node,
    nodes: {
      [node]: { type: 'transform', output: longName, next: 'done' },
      done: { type: 'end', output: {} },
    },
    tests: [{ name: longName, input: { message: longName }, expect: "{{ response = 'x' }}" }],
  });

test('long names are whole on every page, 320 px wide', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 320 });
  const webhook = await newTrigger(agent, {
    kind: 'webhook',
    source: { type: 'github', events: ['push'] },
    trigger_id: `trg_${word}`.slice(0, 60),
  });
  await signInToConsole(page, email);
  const pages: readonly (readonly [path: string, shows: string])[] = [
    ['', agent.flowid],
    ['/agents', longName],
    [`/agents/${agent.flowid}`, longName],
    [`/agents/${agent.flowid}?view=builds`, word.slice(0, 60)],
    [`/agents/${agent.flowid}?view=flow`, node],
    [`/agents/${agent.flowid}/builds/${agent.a2aregistryid}`, longName],
    [`/agents/${agent.flowid}/edit`, longName],
    ['/runs', agent.flowid],
    [`/runs/${failed}`, node],
    [`/runs/${asked}`, node],
    ['/inbox', asking.flowid],
    [`/playground?flowid=${asking.flowid}&build=live`, 'Ask Echo something'],
    ['/triggers', webhook.trigger_id],
    [`/triggers/${webhook.trigger_id}`, webhook.trigger_id],
    ['/connections', longName],
    ['/environments', longName],
    ['/environments/test', 'Pinned builds'],
    ['/dead-letters', longId('late')],
    ['/settings/keys', longName],
    ['/settings/audit', 'registry'],
  ];
  const mistakes: string[] = [];
  for (const [path, shows] of pages) {
    await page.goto(consoleUrl(path));
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    const found = [...(await listSideways(page)), ...(await listCutTexts(page))];
    mistakes.push(...found.map((each) => `${path}: ${each}`));
  }
  expect(mistakes).toEqual([]);
  await close();
});
