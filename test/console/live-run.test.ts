// How soon a run is seen: from the time of an event to its row on the screen, and the page of a run with a thousand items.
// The times are annotations of the tests, as the machine may have more to do.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#lib/routes/routes.ts';
import { openBrowserPage, startBrowser } from '#test/support/browser.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { buildUrl } from '#test/support/client.ts';
import { consoleUrl, inviteOwner, signInToConsole } from '#test/support/console-page.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
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

const liveMs = 250;
const rowsMax = 80;

/** In the page: when the row of each node was painted first, in ms since 1970. */
const watchRows = `
  globalThis.paintedAt = {};
  new MutationObserver(() => {
    for (const row of document.querySelectorAll('[role=treegrid] [role=row]')) {
      const node = /(?:step_\\d+|done)/.exec(row.textContent)?.[0];
      if (node === undefined || node in paintedAt) continue;
      paintedAt[node] = Infinity;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (paintedAt[node] = performance.timeOrigin + performance.now());
        port2.postMessage('after the frame');
      });
    }
  }).observe(document, { childList: true, subtree: true });`;

const event = z.object({
  at: z.string(),
  logs: z.array(z.object({ node_id: z.string().optional(), event: z.string() })).optional(),
});

/** When the event was stored that has the start of each node. */
async function readStarts(workflow_id: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(
    buildUrl(routes.followRun, { params: { workflow_id }, query: { after: '0' } }),
    {
      headers: { 'x-api-key': caller.key },
    },
  );
  const starts = new Map<string, number>();
  for (const [, json = ''] of (await response.text()).matchAll(/^data: (.*)$/gm)) {
    const { at, logs = [] } = event.parse(JSON.parse(json));
    for (const { node_id, event: what } of logs)
      if (what === 'started' && node_id !== undefined) starts.set(node_id, Date.parse(at));
  }
  return starts;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const readPainted = async (page: Page) =>
  z.record(z.string(), z.number()).parse(await page.evaluate('paintedAt'));

test('what happens in a run is on the screen within a quarter of a second', async ({ annotate }) => {
  // Most steps follow each other at once; at a gate, the run is quiet until its start is seen.
  const places = Array.from({ length: 30 }, (_, n) => (n % 6 === 0 ? `gate/live-${n}` : `slow/live-${n}`));
  const agent = await liveAgent({ flow: callingFlow(upstream, places) }, caller);
  const run = await startedRun(agent);
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await page.addInitScript(watchRows);
  await signInToConsole(page, email, `/runs/${run}`);
  for (const [n, place] of places.entries()) {
    if (!place.startsWith('gate')) continue;
    await page.getByRole('treegrid').getByText(`step_${n}`, { exact: true }).waitFor();
    upstream.open(`live-${n}`);
  }
  await page.getByRole('treegrid').getByText('done', { exact: true }).waitFor();
  await idle();
  const [starts, painted] = [await readStarts(run), await readPainted(page)];
  // What had happened before the page was opened is not news.
  const delays = Object.entries(painted)
    .filter(([node]) => node !== 'step_0')
    .map(([node, at]) => at - (starts.get(node) ?? Number.NaN))
    .sort((a, b) => a - b);
  expect(delays).toHaveLength(places.length);
  const [p50, p95] = [percentile(delays, 0.5), percentile(delays, 0.95)];
  await annotate(`from event to paint: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
  expect(p50).toBeLessThanOrEqual(liveMs);
  await close();
});

test('a map of a thousand items is one row, which opens in pages', async ({ annotate }) => {
  const each = {
    type: 'map',
    items: '{{ [1..1000] }}',
    on_error: 'collect',
    max_concurrency: 10,
    body: {
      start: 'one',
      nodes: { one: { type: 'transform', output: '{{ item = 7 ? $error("Seven.") : item }}' } },
    },
    next: 'done',
  };
  const nodes = { each, done: { type: 'end', output: { count: '{{ $count(nodes.each) }}' } } };
  const agent = await liveAgent(
    { flow: flow({ start: 'each', nodes, limits: { max_steps: 3_000 } }) },
    caller,
  );
  const run = await startedRun(agent);
  await idle();
  const { page, close } = await openBrowserPage(browser, { width: 1280 });
  await signInToConsole(page, email, '/runs');
  const began = performance.now();
  await page.goto(consoleUrl(`/runs/${run}`));
  const grid = page.getByRole('treegrid', { name: 'Timeline' });
  const row = grid.getByRole('row').filter({ hasText: 'each' }).first();
  await row.getByText('items').waitFor();
  await annotate(`from the address to the row of the map: ${(performance.now() - began).toFixed(0)} ms`);
  expect(await grid.getByRole('row').count()).toBeLessThanOrEqual(3);
  // The log of a run keeps its first 500 entries.
  await page.getByText('keeps its first 500 entries').waitFor();
  expect(await row.textContent()).toMatch(/map · the first \d+ items, 1 failed/);
  await row.getByRole('button', { name: 'Show what is below' }).click();
  await grid.getByRole('button', { name: /more of/ }).waitFor();
  expect(await grid.getByRole('row').count()).toBeLessThanOrEqual(rowsMax);
  // The failed one is the first.
  expect(await grid.getByRole('row').nth(1).textContent()).toMatch(/one.*each\.1\.6.*Failed/);
  expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
  await close();
});
