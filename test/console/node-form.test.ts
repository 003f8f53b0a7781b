// Journeys through the forms of nodes in the editor of flows, in a real browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  expectAccessible,
  expectAccessibleInBoth,
  openBrowserPage,
  startBrowser,
  takeScreenshot,
} from '#test/support/browser.ts';
import { card, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { inviteOwner, signInToConsole, widths } from '#test/support/console-page.ts';
import { invite } from '#test/support/person.ts';

let browser: Browser;
let caller: TestCaller;
let email: string;

const flow = {
  version: 1,
  name: 'Refunds',
  egress: ['api.example.com'],
  start: 'order',
  nodes: {
    order: {
      type: 'http',
      url: 'https://api.example.com/orders/{{ input.user_variables.order_id }}',
      headers: { accept: 'application/json' },
      timeout_seconds: 20,
      next: 'which',
    },
    which: {
      type: 'switch',
      cases: [{ when: '{{ nodes.order.body.total > 100 }}', next: 'large' }],
      default: 'done',
    },
    large: { type: 'transform', output: 'large', next: 'done' },
    done: { type: 'end', output: { said: '{{ nodes.order.body.total }}' } },
  },
};
const stored = `${JSON.stringify(flow, undefined, 2)}\n`;

beforeAll(async () => {
  [browser, caller] = await Promise.all([startBrowser(), newCaller()]);
  email = await inviteOwner(caller);
});
afterAll(async () => await browser?.close());

async function open(page: Page, person = email): Promise<string> {
  const flowid = unique('refunds');
  await newRow(caller, { flowid, agent_card: card({ name: 'Refunds' }), flow });
  await signInToConsole(page, person, `/agents/${flowid}/edit`);
  await page.getByText('No mistakes, no warnings.').waitFor();
  return flowid;
}

const panel = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const field = (page: Page, name: string) => panel(page).getByRole('textbox', { name });

/** By keyboard: the list opens, and typing finds the name. */
async function choose(page: Page, list: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: list }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').getByRole('option', { name: option }).first().waitFor();
  await page.keyboard.type(option);
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

const chooseNode = async (page: Page, id: string): Promise<void> => {
  const list = page.getByRole('combobox', { name: 'Node to edit' });
  await list.selectOption(id);
  await page.getByRole('group', { name: `Fields of ${id}` }).waitFor();
};

const drafts = z.array(z.string());

/** The whole text, which the page keeps as a draft. */
async function readText(page: Page): Promise<string> {
  const kept = drafts.parse(await page.evaluate('Object.values({ ...localStorage })'));
  const found = kept.flatMap((each) =>
    each.startsWith('{"text"') ? [z.object({ text: z.string() }).parse(JSON.parse(each)).text] : [],
  );
  return found[0] ?? stored;
}

async function replaceAll(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Flow as text' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

describe.each(widths)('%i px wide', (width) => {
  test('the form of a node is accessible, with a mistake at its field and with its list open', async () => {
    const { page, close } = await openBrowserPage(browser, { width });
    await open(page);
    await chooseNode(page, 'order');
    await field(page, 'timeout_seconds').fill('2000');
    await panel(page).getByText('must be at most 900').waitFor();
    await expectAccessibleInBoth(page, `console-node-form-${width}`);
    await panel(page).getByText('more fields').click();
    await page.getByRole('combobox', { name: 'method' }).click();
    await page.getByRole('option', { name: 'PATCH' }).waitFor();
    await expectAccessibleInBoth(page, `console-node-choice-${width}`);
    await close();
  });
});

test('what is typed into the form changes the text there only, and what is typed into the text the form', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page);
  await chooseNode(page, 'order');
  await field(page, 'url').focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('?all');
  await choose(page, 'next', 'large');
  await field(page, 'headers').fill('{ "accept": "text/plain" }');
  const expected = stored
    .replace('order_id }}"', 'order_id }}?all"')
    .replace('"next": "which"', '"next": "large"')
    .replace(/\{\s+"accept": "application\/json"\s+\}/, '{ "accept": "text/plain" }');
  expect(await readText(page)).toBe(expected);
  await field(page, 'headers').fill('{ "accept"');
  await panel(page).getByText('This is not valid JSON.').waitFor();
  expect(await readText(page)).toBe(expected);
  await field(page, 'headers').fill('');
  await replaceAll(page, expected.replace('"timeout_seconds": 20', '"timeout_seconds": 33'));
  await expect.poll(() => field(page, 'timeout_seconds').inputValue()).toBe('33');
  await close();
});

test('a mistake is shown at the field that it belongs to, and a new field is written by the form', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page);
  await chooseNode(page, 'which');
  await field(page, 'cases').fill('[]');
  const described = await field(page, 'cases').evaluate(async (each) => {
    const ids = each.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((id: string) => each.ownerDocument.getElementById(id)?.textContent).join(' ');
  });
  expect(described).toContain('Conditions in order');
  await panel(page).getByText('must have at least 1').waitFor();
  expect(await field(page, 'cases').getAttribute('aria-invalid')).toBe('true');
  await panel(page).getByText('more fields').click();
  await field(page, 'title').fill('Which amount?');
  expect(await readText(page)).toContain('"default": "done",\n      "title": "Which amount?"\n    },');
  await close();
});

test('in YAML, comments and order stay', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page);
  const yaml =
    '# Mine.\nversion: 1\nname: Echo # short\nstart: done\nnodes:\n  # The last.\n  done:\n    output: { said: 1 } # first\n    type: end\n';
  await replaceAll(page, yaml);
  await chooseNode(page, 'done');
  await field(page, 'output').fill('{ said: 2, more: [1] }');
  expect(await readText(page)).toBe(yaml.replace('said: 1', 'said: 2, more: [1]'));
  await close();
});

test('a node is added after another one and deleted again, with the places that refer to it', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await open(page);
  await chooseNode(page, 'large');
  await page.getByRole('button', { name: 'Add node' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a node' });
  await dialog.getByRole('textbox', { name: 'Id' }).fill('order');
  await dialog.getByRole('button', { name: 'Add node' }).click();
  await dialog.getByText('There is a node with this id.').waitFor();
  await dialog.getByRole('textbox', { name: 'Id' }).fill('tell');
  await choose(page, 'Type', 'fail');
  await choose(page, 'Type', 'llm');
  await expectAccessible(page);
  await takeScreenshot(page, 'console-add-node-light-1280');
  await dialog.getByRole('button', { name: 'Add node' }).click();
  await page.getByRole('button', { name: /^tell, llm/ }).waitFor();
  const text = await readText(page);
  expect(JSON.parse(text).nodes).toMatchObject({
    large: { next: 'tell' },
    tell: { type: 'llm', next: 'done' },
  });
  await page.getByRole('button', { name: 'Delete node' }).click();
  await page.getByRole('alertdialog').getByText('/nodes/large/next').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete node' }).click();
  await page
    .getByRole('list', { name: 'Mistakes and warnings' })
    .getByRole('button', { name: '/nodes/large/next' })
    .waitFor();
  expect(Object.keys(JSON.parse(await readText(page)).nodes)).toEqual(Object.keys(flow.nodes));
  await close();
});

test('who may only read sees the fields of a node, and cannot change them', async () => {
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  const viewer = await invite({ orgid: caller.orgid, role: 'viewer', workspaces: [caller.workspaceid] });
  await open(page, viewer.email);
  await chooseNode(page, 'order');
  expect(await field(page, 'url').isEditable()).toBe(false);
  expect(await page.getByRole('button', { name: 'Add node' }).count()).toBe(0);
  await close();
});
