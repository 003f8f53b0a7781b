// All that is stored of a run is kept until days after its end, however long it rests before.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { flow } from '#test/support/builders.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent } from '#test/support/flows.ts';
import { cancelRun, resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { runWrites } from '#test/support/runs.ts';

const day = 86_400;
const retentionDays = 30;
/** In the queue and at work. */
const takesAtMost = 12 * 3_600 + 45 * 60;

const expiring = z.array(z.object({ sk: z.string(), ttl: z.number() }));
/** Seconds from now after which something of the run is gone, and after which nothing of it is left. */
async function kept(id: string) {
  const items = expiring.parse(await runWrites(id));
  const now = Date.now() / 1_000;
  const left = items.map(({ ttl }) => ttl - now);
  return { from: Math.min(...left), to: Math.max(...left), items: items.map(({ sk }) => sk) };
}

const resting = (node: object) =>
  flow({
    start: 'say',
    nodes: {
      say: { type: 'reply', text: 'Looking.', next: 'rest' },
      rest: { next: 'done', ...node },
      done: { type: 'end', output: { done: true } },
    },
  });

async function started(some: object) {
  const agent = await liveAgent({ flow: some });
  const id = await startedRun(agent, 'order 7');
  await idle();
  return { agent, id };
}

test('a run is kept for the retention days of its tenant after its deadline', async () => {
  const { id } = await started(flow());
  const { from, to } = await kept(id);
  expect(from).toBeGreaterThan(retentionDays * day);
  expect(to).toBeLessThanOrEqual(retentionDays * day + takesAtMost);
});

test('a run that waits for a month still has its snapshot and its output when it resumes', async () => {
  const { agent, id } = await started(resting({ type: 'wait', seconds: 30 * day - 60 }));
  expect((await runState(agent, id)).status).toBe('pending');
  const { from, items } = await kept(id);
  expect(items).toEqual(expect.arrayContaining(['HEAD', 'SNAP', 'E#0000000001']));
  expect(from).toBeGreaterThan(30 * day - 120 + retentionDays * day);
});

test('a question that is open for two weeks can still be answered', async () => {
  const { id } = await started(resting({ type: 'ask', prompt: 'Sure?', timeout_seconds: 14 * day }));
  expect((await kept(id)).from).toBeGreaterThan((14 + retentionDays) * day - 60);
});

test('a run with a question without time limit does not expire before it has ended', async () => {
  const { agent, id } = await started(resting({ type: 'ask', prompt: 'Sure?' }));
  expect((await kept(id)).from).toBeGreaterThan(5 * 365 * day);
  await resumeRun(agent, id, { answer: 'yes' });
  await idle();
  expect((await runState(agent, id)).status).toBe('completed');
  const { from, to } = await kept(id);
  expect(from).toBeGreaterThan(retentionDays * day);
  expect(to).toBeLessThanOrEqual(retentionDays * day + takesAtMost);
});

test('a run that is canceled at its question is kept for the retention days, and no longer', async () => {
  const { agent, id } = await started(askingFlow());
  await cancelRun(agent, id);
  const { from, to } = await kept(id);
  expect(from).toBeGreaterThan(retentionDays * day);
  expect(to).toBeLessThanOrEqual(retentionDays * day + takesAtMost);
});

test('a run that waits for connections still exists when they are stored', async () => {
  const crm = { type: 'http_bearer', hosts: ['api.crm.example'] };
  const { id } = await started(flow({ connections: { crm } }));
  expect((await kept(id)).from).toBeGreaterThan(5 * 365 * day);
});
