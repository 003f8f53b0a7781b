// A node that outlasts the invocation of its worker: it is interrupted before the function times out, so that
// another worker has the run at once, and not after the lease of a dead one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runQueued } from '#lib/worker/run-queued.ts';
import { unique } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { webhookMessage } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { shift, state } from '#test/support/worker.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

test('the run is free and its message is sent while the node still waits, and no finished node is repeated', async () => {
  const [gate, count] = [unique('gate'), unique('count')];
  const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${count}`, `gate/${gate}`]) });
  const message = webhookMessage(agent);
  const working = runQueued(message, shift(10_500));
  await upstream.arrived(gate);
  // The gate is closed: only the interruption ends this.
  expect(await working).toEqual({ kind: 'done' });
  upstream.open(gate);
  await idle();
  expect(await state(agent, message.triggerId)).toMatchObject({ status: 'completed' });
  expect([upstream.calls(count), upstream.calls(gate)]).toEqual([1, 2]);
});
