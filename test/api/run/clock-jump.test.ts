// The time of a run is measured by a clock that nobody sets. Here only the wall clock of the process that
// runs it jumps.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { requestLog } from '#lib/log.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { finishInline, startInline } from '#lib/run/run-inline.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { unique } from '#test/support/caller.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { webhookMessage } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { longShift, state } from '#test/support/worker.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const hoursMs = 6 * 3_600_000;
const jump = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A run that waits at a gate, and makes one more call once it is open. */
async function waitingRun(remainingMs: number) {
  const [gate, after] = [unique('gate'), unique('after')];
  const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`, `count/${after}`]) });
  const row = await readRow(agent.a2aregistryid);
  if (!row) throw new Error('The row was just made.');
  const started = await startInline({
    row,
    caller: agent,
    trigger: 'api',
    environment: 'live',
    flowInput: { message: '', user_variables: {} },
    remainingMs: () => remainingMs,
    log: requestLog({}),
  });
  return { started, gate };
}

test('a run continues when the clock is set forward by hours, before it starts and while it runs', async () => {
  const { started, gate } = await waitingRun(165_000);
  jump(hoursMs);
  const finishing = finishInline(started);
  await upstream.arrived(gate);
  jump(hoursMs);
  upstream.open(gate);
  expect(await finishing).toMatchObject({ status: 'completed', response: { done: true } });
});

test('a run ends on time when the clock is set back by hours', async () => {
  const { started } = await waitingRun(16_000);
  jump(-hoursMs);
  expect(await finishInline(started)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('time limit'),
  });
});

test('a queued run continues when the clock is set forward by hours while it runs', async () => {
  const gate = unique('gate');
  const agent = await liveAgent({
    flow: callingFlow(upstream, [`gate/${gate}`, `count/${unique('after')}`]),
  });
  const message = webhookMessage(agent);
  const working = runQueued(message, longShift);
  await upstream.arrived(gate);
  jump(hoursMs);
  upstream.open(gate);
  expect(await working).toEqual({ kind: 'done' });
  expect((await state(agent, message.triggerId)).status).toBe('completed');
});
