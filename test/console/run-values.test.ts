// A run with waits, retries and calls of models, as its timeline and the panels of its nodes show it.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBoth, openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { resumeRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let browser: Browser;
let upstream: Upstream;
let caller: TestCaller;
let email: string;
let run: string;

beforeAll(async () => {
  [browser, upstream, caller] = await Promise.all([startBrowser(), startUpstream(), newCaller()]);
  email = await inviteOwner(caller);
  run = await finishedRun();
});
afterAll(async () => {
  await browser?.close();
  await upstream?.close();
});

/** Looks an order up with two retries, asks a person, and lets an agent answer with a tool. */
const supportFlow = () =>
  flow({
    models: scriptedModels,
    egress: [upstream.host],
    start: 'order',
    nodes: {
      order: {
        type: 'http',
        url: `${upstream.url}/busy/${unique('order')}`,
        retry: { max_attempts: 3, delay_ms: 100, on: ['http.5xx'] },
        next: 'approve',
      },
      approve: { type: 'ask', prompt: 'May the agent refund it?', choices: ['yes', 'no'], next: 'work' },
      work: {
        type: 'agent',
        instructions: 'You help customers of a shop with their orders. Look the order up before you answer.',
        tools: [
          {
            name: 'find_order',
            description: 'Finds an order by its number.',
            http: { url: `${upstream.url}/count/{{ args.number }}` },
            parameters: {
              type: 'object',
              properties: { number: { type: 'string' } },
              required: ['number'],
            },
          },
        ],
        next: 'done',
      },
      done: { type: 'end', output: { text: '{{ nodes.work.text }}' } },
    },
  });

/** In the environment `test`, which keeps the values of nodes. */
async function finishedRun(): Promise<string> {
  const flowid = unique('support');
  await newRow(caller, { flowid, flow: supportFlow() });
  const script = newModelScript();
  const message = `Where is my order 4711? I ordered two lamps last week. (${script.prompt})`;
  const params = { workspace_id: caller.workspaceid, trigger_id: flowid, environment: 'test' };
  const { workflow_id } = (await call('startRun', { key: caller.key, params, body: { message } })).body;
  await idle();
  await resumeRun(caller, workflow_id, { answer: 'yes' });
  await script.callTool('find_order', { number: '4711' });
  await script.answer('Your order 4711 was shipped on Monday. It arrives tomorrow.', 2, {
    tokens: { input: 1_240, output: 86 },
  });
  await idle();
  return workflow_id;
}

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Timeline' });
const row = (page: Page, node: string) => grid(page).getByRole('row').filter({ hasText: node }).first();

describe.each(widths)('%i px wide', (width) => {
  test('waits and retries are in words and in signs, and calls of a model in the panel', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    await signInToConsole(page, email, `/runs/${run}`);
    await row(page, 'approve')
      .getByText(/waited \d/)
      .waitFor();
    await row(page, 'order').getByText('2 retries').waitFor();
    await page.getByText('Hatched: waiting').waitFor();
    await page.getByText('Tick: an attempt failed').waitFor();
    expect(await row(page, 'done').textContent()).not.toMatch(/waited|retr/);
    await expectAccessibleInBoth(page, `console-waits-${width}`);
    await grid(page).getByText('work', { exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Node execution' });
    await panel.getByRole('button', { name: 'Show input and output' }).click();
    await panel
      .getByRole('group', { name: 'System prompt' })
      .getByText('You help customers of a shop')
      .waitFor();
    await panel.getByText('It arrives tomorrow.').first().waitFor();
    await panel.getByText('1,240 → 86 tokens').waitFor();
    // The tokens of both calls.
    await panel.getByText('1,241 → 87').waitFor();
    await panel.getByText('$0.00503').waitFor();
    await panel.getByText('Could call: find_order.').first().waitFor();
    await panel.getByRole('group', { name: 'Arguments of find_order' }).first().getByText('4711').waitFor();
    await panel.getByRole('group', { name: 'Result of find_order' }).getByText('status').waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessibleInBoth(page, `console-run-values-${width}`);
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Fork from here, work.1' }).click();
    const fork = page.getByRole('dialog', { name: 'Fork this run from work.1?' });
    await fork.getByLabel('Outputs to replace, a JSON object').fill('{"approve": "no"}');
    await expectAccessibleInBoth(page, `console-fork-${width}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save as test' }).click();
    const saved = page.getByRole('dialog', { name: 'Save as test' });
    await saved.getByRole('region', { name: 'Test' }).getByText('"message"').first().waitFor();
    await expectAccessibleInBoth(page, `console-save-as-test-${width}`);
    await close();
  });
});
