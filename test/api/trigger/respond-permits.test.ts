// Requests that wait for the result of an event: how many may, for how long, and what their answers are if nobody
// can look at the run. The event itself is in the queue in each case.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { acquirePermit } from '#lib/limits/concurrency-permit.ts';
import { readPermits } from '#lib/limits/permit-items.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { buildEvent, invokeHere, load } from '#test/support/invocation.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
const { RUNS_TABLE } = process.env;
afterEach(() => {
  delete process.env.LIMITS;
  process.env.RUNS_TABLE = RUNS_TABLE;
});

/** The runs of its flow do not end before `open`. */
async function newWaiting() {
  const name = unique('gate');
  const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${name}`]) });
  const { handler } = await load(() => import('#functions/trigger/accept-webhook.ts'));
  const declare = async () => {
    const { trigger_id: flow_id } = await newTrigger(agent, { kind: 'webhook', respond: 'result' });
    const event = buildEvent('trigger/accept-webhook', {
      key: agent.key,
      params: { flow_id },
      body: { event: 'order.paid' },
    });
    return { flow_id, send: async (remainingMs?: number) => await invokeHere(handler, event, remainingMs) };
  };
  const end = async (id: unknown) => {
    upstream.open(name);
    await idle();
    const params = { workspace_id: agent.workspaceid, workflow_id: String(id) };
    return (await call('getRun', { key: agent.key, params })).body.status;
  };
  return { agent, declare, end };
}

const scope = ({ orgid }: { readonly orgid: string }) => ({ use: 'answer', orgid }) as const;

test('beyond the limit of its trigger an event is accepted at once, and run; other triggers still wait', async () => {
  const { agent, declare, end } = await newWaiting();
  const [full, other] = [await declare(), await declare()];
  process.env.LIMITS = JSON.stringify({ key_followed_runs: 1 });
  const held = { ...scope(agent), keyId: full.flow_id, untilMs: Date.now() + 60_000, runId: newRunId() };
  await acquirePermit(held, Date.now());
  const startedAt = performance.now();
  const accepted = await full.send();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(accepted).toMatchObject({ statusCode: 202, body: { status: 'accepted' } });
  // Callers who follow runs have permits of their own.
  await acquirePermit({ ...held, use: 'follow', runId: newRunId() }, Date.now());
  const waiting = other.send();
  expect(await end(accepted.body.triggerId)).toBe('completed');
  expect(await waiting).toMatchObject({ statusCode: 200, body: { done: true } });
  expect(await readPermits(scope(agent))).toMatchObject([{ runId: held.runId }]);
});

test('nobody waits longer than the function lives, and the permit is released', async () => {
  const { agent, declare, end } = await newWaiting();
  const { send } = await declare();
  const { statusCode, body, headers } = await send(2_500);
  expect({ statusCode, ...body }).toMatchObject({ statusCode: 202, status: 'accepted' });
  expect(headers.location).toBe(`/api/v1/ai/trigger/status/${agent.workspaceid}/${body.triggerId}`);
  expect(await readPermits(scope(agent))).toEqual([]);
  expect(await end(body.triggerId)).toBe('completed');
});

test('an event is accepted although its run cannot be read', async () => {
  const { declare, end } = await newWaiting();
  const { send } = await declare();
  process.env.RUNS_TABLE = 'no-such-table';
  const { statusCode, body } = await send();
  expect(statusCode).toBe(202);
  process.env.RUNS_TABLE = RUNS_TABLE;
  expect(await end(body.triggerId)).toBe('completed');
});
