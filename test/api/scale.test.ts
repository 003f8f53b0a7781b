// What a run takes of AWS and which partitions it shares with others, measured through proxies in front of the engines, and
// what a model makes of it: docs/scale.md (`npm run scale` writes it).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCounting } from '#test/support/call-cost.ts';
import { ownQueue } from '#test/support/runs.ts';
import { createRecorder, measurePostings, measureRun } from '#test/support/scale/measure.ts';
import { scalePage } from '#test/support/scale/page.ts';

const recorder = createRecorder();
let stopCounting: () => Promise<void>;
beforeAll(async () => {
  stopCounting = await startCounting(recorder.watch);
});
afterAll(() => stopCounting());

test('runs reach the limits that docs/scale.md states, in this order', async () => {
  // A queue of this process, so that the functions of the host take none of its messages.
  await using _queue = await ownQueue();
  const runs = {
    trigger: await measureRun('trigger', recorder),
    message: await measureRun('message', recorder),
    event: await measureRun('event', recorder),
  };
  const page = scalePage({ runs, postings: await measurePostings() });
  await expect(page).toMatchFileSnapshot('../../docs/scale.md');
});
