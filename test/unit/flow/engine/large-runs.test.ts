// Runs as large as the limits allow: they end, and what a snapshot holds stays bounded.
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { checkedFlow, run, scripted } from '../scripted.ts';

const step = { type: 'transform', output: 1 };

/** As a table keeps them: each is written and forgotten. */
async function largest(nodes: Readonly<Record<string, unknown>>) {
  const recorded = scripted();
  let bytes = 0;
  const checkpoint = async (snapshot: Snapshot) => {
    bytes = Math.max(bytes, JSON.stringify(snapshot).length);
  };
  const flow = checkedFlow(nodes, { limits: { max_steps: limits.stepsMax } });
  const outcome = await run(flow, { ...recorded, ports: { ...recorded.ports, checkpoint } });
  return { outcome, bytes };
}

test('a loop of fifty thousand steps ends at its limit with a snapshot of some bytes', async () => {
  const { outcome, bytes } = await largest({ a: { ...step, next: 'b' }, b: { ...step, next: 'a' } });
  expect(outcome).toMatchObject({ error: { code: 'limit.steps' } });
  expect(bytes).toBeLessThan(500);
});

test('a map of a thousand items with three nodes each completes; what an item has left behind is its output alone', async () => {
  const nodes = {
    x: { ...step, output: 'x'.repeat(1_000), next: 'y' },
    y: { ...step, next: 'z' },
    z: { ...step, output: '{{ index }}' },
  };
  const items = Array.from({ length: 1000 }, (_, n) => n);
  const { outcome, bytes } = await largest({
    each: { type: 'map', items, body: { start: 'x', nodes }, assign: { last: '{{ nodes.each[999] }}' } },
  });
  expect(outcome).toMatchObject({ response: { last: 999 } });
  expect(bytes).toBeLessThan(limits.concurrencyDefault * 1_500 + 15_000);
});

test('scopes may be nested as deeply as a flow may be, with a thousand of them', async () => {
  const inner = {
    type: 'map',
    items: Array.from({ length: 10 }, (_, n) => n),
    body: { start: 'z', nodes: { z: step } },
  };
  const middle = { ...inner, body: { start: 'y', nodes: { y: inner } } };
  const { outcome } = await largest({
    each: {
      ...inner,
      body: { start: 'x', nodes: { x: middle } },
      assign: { deep: '{{ nodes.each[9][9][9] }}' },
    },
  });
  expect(outcome).toMatchObject({ response: { deep: 1 } });
});

test('ten checks of a flow of a hundred nodes take less than a second of CPU time', () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [
      `n${n}`,
      { ...step, output: n === 0 ? 1 : `{{ nodes.n${n - 1} }}`, ...(n < 99 && { next: `n${n + 1}` }) },
    ]),
  );
  const flow = { version: 1, name: 'Long', start: 'n0', nodes };
  const before = process.threadCpuUsage();
  for (let times = 0; times < 10; times++) expect(checkFlow(flow).ok).toBe(true);
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000);
});
