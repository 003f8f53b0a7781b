// The run of a caller that disconnects is canceled, unless the tenant configures otherwise, and no work
// continues after the response.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { beatMs } from '#lib/http/heartbeat.ts';
import { responseStream } from '#lib/local/lambda-streaming.ts';
import { routes } from '#lib/routes/routes.ts';
import { unique } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { load } from '#test/support/invocation.ts';
import { runState } from '#test/support/run-calls.ts';
import { eventually } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const path = (agent: TestAgent) => ({
  workspace_id: agent.workspaceid,
  trigger_id: agent.flowid,
  environment: 'live',
});
const only = async (agent: TestAgent) =>
  (await call('listRuns', { key: agent.key, query: { workspaceid: agent.workspaceid } })).body.items[0];

async function gated() {
  const [gate, after] = [unique('gate'), unique('after')];
  const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`, `count/${after}`]) });
  return { gate, after, agent };
}

test('a client that disconnects cancels its run and aborts the call in flight', async () => {
  const { gate, after, agent } = await gated();
  const leave = new AbortController();
  const waiting = fetch(buildUrl(routes.triggerFlow, { params: path(agent) }), {
    method: 'POST',
    body: JSON.stringify({ message: '' }),
    headers: { 'content-type': 'application/json', 'x-api-key': agent.key },
    signal: leave.signal,
  }).then((response) => response.text());
  await upstream.arrived(gate);
  leave.abort();
  await expect(waiting).rejects.toThrow();
  await upstream.abandoned(gate);
  const run = await eventually(
    () => only(agent),
    (found) => found?.status === 'canceled',
  );
  const { logs } = await runState(agent, run?.workflow_id ?? '');
  expect(logs.at(-1)?.event).toBe('run_canceled');
  expect(upstream.calls(after)).toBe(0);
});

/** An answer begins after ten seconds, unless the run is over before. */
type Leaving = 'before the answer has begun' | 'after it has begun';
const leavings: readonly Leaving[] = ['before the answer has begun', 'after it has begun'];

/** As Lambda calls it, whose client leaves while the flow is at its gate. */
async function left(
  { gate, agent }: Awaited<ReturnType<typeof gated>>,
  leaving: Leaving,
  error: Error | null = new Error('The client left.'),
) {
  const { handler } = await load(() => import('#functions/trigger/run.ts'));
  const stream = responseStream();
  const event = eventFor('triggerFlow', { key: agent.key, params: path(agent), body: { message: '' } });
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => 60_000 };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const handled = Promise.resolve(Reflect.apply(handler, undefined, [event, stream, context]));
  await upstream.arrived(gate);
  if (leaving === 'after it has begun') {
    vi.advanceTimersByTime(beatMs);
    await once(stream, 'readable');
  }
  vi.useRealTimers();
  stream.destroy(error ?? undefined);
  return { handled: handled.catch(() => undefined) };
}

/** The stream of the Lambda runtime is a request of HTTP, which closes without an error too. */
test.each(leavings)('the function ends if the stream closes without an error, %s', async (leaving) => {
  const some = await gated();
  const { handled } = await left(some, leaving, null);
  await handled;
  expect((await only(some.agent))?.status).toBe('canceled');
});

test.each(leavings)('the function does not end before its run has ended, %s', async (leaving) => {
  const some = await gated();
  const { handled } = await left(some, leaving);
  await handled;
  expect((await only(some.agent))?.status).toBe('canceled');
  expect(upstream.calls(some.after)).toBe(0);
});

test.each(leavings)(
  'if the tenant has disabled cancelOnDisconnect, the run completes and its result is stored, %s',
  async (leaving) => {
    const before = process.env.CANCEL_ON_DISCONNECT;
    process.env.CANCEL_ON_DISCONNECT = 'false';
    try {
      const some = await gated();
      const { handled } = await left(some, leaving);
      upstream.open(some.gate);
      await handled;
      expect((await only(some.agent))?.status).toBe('completed');
      expect(upstream.calls(some.after)).toBe(1);
    } finally {
      process.env.CANCEL_ON_DISCONNECT = before;
    }
  },
);
