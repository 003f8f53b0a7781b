// The node type `wait`: a pause of the run, or a sleep when it is short enough for the invocation.
import { expect, test } from 'vitest';
import { checkedFlow, quiet, run, scripted, startedAt } from '../scripted.ts';

const done = { type: 'end', output: { until: '{{ nodes.w.until }}' } };
const waiting = (fields: object) => checkedFlow({ w: { type: 'wait', next: 'done', ...fields }, done });
const at = (ms: number) => new Date(startedAt + 1_000 + ms).toISOString();

test.each([
  [{ seconds: 90 }, at(90_000)],
  [{ seconds: '{{ 60 * 2 }}' }, at(120_000)],
  [{ until: at(5_000) }, at(5_000)],
])('%j pauses the run until then', async (fields, until) => {
  const flow = waiting(fields);
  const outcome = await run(flow, scripted());
  expect(outcome).toMatchObject({ status: 'waiting', until });
  if (outcome.status !== 'waiting') return;
  const [early, late] = [scripted(), scripted()];
  expect(await run(flow, early, { snapshot: outcome.snapshot })).toMatchObject({ status: 'waiting', until });
  late.clock.pass(120_000);
  expect(await run(flow, late, { snapshot: outcome.snapshot })).toMatchObject({ response: { until } });
});

test('a wait within the patience of the invocation is slept through', async () => {
  const recorded = scripted();
  const running = run(waiting({ seconds: 5 }), recorded, { patienceMs: 10_000 });
  await quiet();
  recorded.clock.pass(5_000);
  expect(await running).toMatchObject({ status: 'completed' });
});

test.each([
  ['longer than the patience', { patienceMs: 1_000 }],
  ['longer than the run may take', { patienceMs: Number.POSITIVE_INFINITY, timeoutMs: 4_000 }],
  ['past the time to yield', { patienceMs: Number.POSITIVE_INFINITY, yieldAt: 3_000 }],
])('a wait %s pauses', async (_name, options) => {
  expect(await run(waiting({ seconds: 5 }), scripted(), options)).toMatchObject({ status: 'waiting' });
});

test('a time in the past does not wait', async () => {
  expect(await run(waiting({ until: '2020-01-01T00:00:00Z' }), scripted())).toMatchObject({
    status: 'completed',
  });
});

test.each([
  [{ until: '{{ "tomorrow" }}' }, 'until:'],
  [{ until: '{{ "2027-01-01T00:00:00" }}' }, 'until:'],
  [{ until: '2999-01-01T00:00:00Z' }, '30 days'],
  [{ seconds: '{{ -1 }}' }, 'seconds:'],
  [{ seconds: '{{ "5" }}' }, 'seconds:'],
])('%j fails', async (fields, words) => {
  expect(await run(waiting(fields), scripted())).toMatchObject({
    error: { code: 'wait.bad_time', message: expect.stringContaining(words) },
  });
});

test('branches that need no time run on while another waits', async () => {
  const flow = checkedFlow({
    fan: {
      type: 'parallel',
      branches: {
        slow: {
          start: 'w',
          nodes: { w: { type: 'wait', seconds: 60, next: 'w2' }, w2: { type: 'wait', seconds: 30 } },
        },
        quick: { start: 'say', nodes: { say: { type: 'reply', text: 'On it.' } } },
      },
    },
  });
  const recorded = scripted();
  expect(await run(flow, recorded)).toMatchObject({ status: 'waiting', until: at(60_000) });
  expect(recorded.replies).toMatchObject([{ text: 'On it.' }]);
});
