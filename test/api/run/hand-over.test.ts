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

test('the run is free and its message is sent while the node still waits, and another worker completes it', async () => {
  const gate = unique('gate');
  const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
  const message = webhookMessage(agent);
  const working = runQueued(message, shift(23_000));
  await upstream.arrived(gate);
  // The gate is closed: only the interruption ends this, ten seconds before the end of the invocation.
  expect(await working).toEqual({ kind: 'done' });
  await upstream.abandoned(gate);
  upstream.open(gate);
  await idle();
  expect(await state(agent, message.triggerId)).toMatchObject({ status: 'completed' });
});
