// The run of a flow that only computes is stored with its end, in one write: until then nobody knows of it, and nothing
// is lost with its process. One that takes longer than a second, or has more to store, is stored before, as any other.
import { describe, expect, test } from 'vitest';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import { newRunId } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { cancelOnDisconnect } from '#lib/run/cancel-on-disconnect.ts';
import { deferHeader } from '#lib/run/deferred-header.ts';
import { execute } from '#lib/run/execute.ts';
import { claimsMax } from '#lib/run/lease-times.ts';
import { storedFlow } from '#lib/run/load-flow.ts';
import { appendEvent, insertRun, readEvents, readRun } from '#lib/run/run-items.ts';
import { claimRun } from '#lib/run/run-lease.ts';
import { newRun } from '#lib/run/start.ts';
import type { StoredEvent, StoredRun } from '#lib/run/stored-run.ts';
import { beginRun } from '#lib/worker/begin-run.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { cancelRun, runState } from '#test/support/run-calls.ts';
import { eventually, expireLease, runWrites, webhookMessage } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';
import { state, work } from '#test/support/worker.ts';

const listed = async (agent: TestAgent) =>
  (await call('listRuns', { key: agent.key, query: { workspaceid: agent.workspaceid } })).body.items;

const triggered = async (agent: TestAgent) => {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  return (await call('triggerFlow', { key: agent.key, params, body: { message: 'Hello' } })).body;
};

describe('once it has ended, it is as any other', () => {
  test('by the synchronous trigger', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const { workflow_id, response, logs } = await triggered(agent);
    expect(response).toEqual({ answer: 'Hello' });
    expect(await runState(agent, workflow_id)).toMatchObject({ status: 'completed', response, logs });
    expect(await listed(agent)).toMatchObject([{ workflow_id, status: 'completed' }]);
    // Neither a header before it nor an event beside it.
    expect(await runWrites(workflow_id)).toMatchObject([{ sk: 'HEAD', generation: 1 }]);
  });

  test('by an event, also when it is delivered again', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const message = webhookMessage(agent);
    for (const receiveCount of [1, 1, 2])
      expect(await work([JSON.stringify(message)], receiveCount)).toEqual({ batchItemFailures: [] });
    expect(await state(agent, message.triggerId)).toMatchObject({ status: 'completed' });
    expect(await listed(agent)).toMatchObject([{ workflow_id: message.triggerId }]);
    expect(await readEvents(message.triggerId)).toHaveLength(1);
  });

  test('by an event that was delivered before: its worker may have died of it', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const message = webhookMessage(agent);
    await work([JSON.stringify(message)], 2);
    // It was stored before its first node, and has a snapshot of each.
    expect((await runWrites(message.triggerId)).map(({ sk }) => sk)).toContain('SNAP');
    expect(await state(agent, message.triggerId)).toMatchObject({ status: 'completed' });
  });

  test.each(['trigger', 'event'])('with a response too large for its header: %s', async (how) => {
    const text = 'x'.repeat(90_000);
    const output = Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [`part_${n}`, `${n}{{ $string(nodes.noise) }}`]),
    );
    const noise = {
      type: 'transform',
      output: `{{ $map([1..400], function($n) { $string($n * 7919) & "${text.slice(0, 100)}" & $string($n) }) }}`,
      next: 'done',
    };
    const agent = await liveAgent({
      flow: flow({ start: 'noise', nodes: { noise, done: { type: 'end', output } } }),
    });
    const message = webhookMessage(agent);
    if (how === 'event') await work([JSON.stringify(message)]);
    const id = how === 'event' ? message.triggerId : (await triggered(agent)).workflow_id;
    const { status, response } = await runState(agent, id);
    expect(status).toBe('completed');
    expect(JSON.stringify(response).length).toBeGreaterThan(200_000);
  });
});

const computing = flow({ start: 'done', nodes: { done: { type: 'end', output: { said: 1 } } } });

/** A run that is executed here and not stored, at a node that does not end before `open` is called. */
async function atNode(mode: StoredRun['mode']) {
  const agent = await liveAgent({ flow: computing });
  const row = await readRow(agent.a2aregistryid);
  if (!row) throw new Error('The row was just made.');
  const begun = newRun({
    runId: newRunId(),
    row,
    caller: agent,
    trigger: mode === 'inline' ? 'api' : 'webhook',
    mode,
    environment: 'live',
    input: '{"message":"","user_variables":{}}',
    lease: { holder: 'here', ms: 60_000 },
    now: Date.now(),
    limitMs: 60_000,
  });
  const gate = Promise.withResolvers<void>();
  const execution = {
    run: begun,
    lease: 'here',
    leaseMs: 60_000,
    header: deferHeader(begun),
    flow: waitingFor(gate.promise, compileFlow(await storedFlow(row))),
    input: { message: '', user_variables: {} },
    env: {},
    keepValues: 'off',
    isExported: false,
    limitMs: 60_000,
    log: requestLog({}),
  } as const;
  return { agent, run: begun, execution, result: execute(execution), open: gate.resolve };
}

function waitingFor(gate: Promise<void>, compiled: CompiledFlow): CompiledFlow {
  const nodes = [...compiled.nodes].map(([id, node]) => {
    const waiting: typeof node.run = async (context) => {
      await gate;
      return await node.run(context);
    };
    return [id, { ...node, run: waiting }] as const;
  });
  return { ...compiled, nodes: new Map(nodes) };
}

describe('one that takes longer than a second', () => {
  test('is stored, seen as working, and ends as any other', async () => {
    const { agent, run, result, open } = await atNode('queued');
    const seen = await eventually(
      () => listed(agent),
      ([first]) => first !== undefined,
    );
    expect(seen).toMatchObject([{ workflow_id: run.run_id, status: 'pending' }]);
    open();
    expect(await result).toMatchObject({ status: 'completed' });
    expect(await runState(agent, run.run_id)).toMatchObject({ status: 'completed', response: { said: 1 } });
  });

  test.each(['queued', 'inline'] as const)('can be canceled then: %s', async (mode) => {
    const { agent, run, result, open } = await atNode(mode);
    await eventually(() => readRun(run.run_id), Boolean);
    expect((await cancelRun(agent, run.run_id)).status).toBe(200);
    open();
    expect(await result).toMatchObject({ status: 'lost' });
    expect(await runState(agent, run.run_id)).toMatchObject({ status: 'canceled' });
  });
});

test('a caller who leaves before it is stored cancels it', async () => {
  const { agent, run, execution, result, open } = await atNode('inline');
  const left = new AbortController();
  const permit = {
    use: 'wait',
    orgid: run.orgid,
    runId: run.run_id,
    keyId: run.caller_id,
    untilMs: 0,
  } as const;
  const started = { run, execution, permit: { permit, held: [] }, endsAt: 0 };
  cancelOnDisconnect(started, { signal: left.signal, log: requestLog({}) });
  left.abort();
  await eventually(
    () => readRun(run.run_id),
    (found) => found?.status === 'canceled',
  );
  open();
  expect(await result).toMatchObject({ status: 'lost' });
  expect((await runState(agent, run.run_id)).logs.at(-1)?.event).toBe('run_canceled');
});

test('another process that has stored a run of this id is not overwritten', async () => {
  const { run, result, open } = await atNode('queued');
  const other = { ...run, lease: 'there', claims: 1 };
  await insertRun(other);
  open();
  expect(await result).toMatchObject({ status: 'lost' });
  expect(await readRun(run.run_id)).toMatchObject({ lease: 'there', generation: 0 });
});

test('a write whose answer was lost is not lost when it is sent again', async () => {
  const fresh = run({ run_id: newRunId(), generation: 0, lease: 'here' });
  const event: StoredEvent = {
    generation: 1,
    at: new Date().toISOString(),
    status: 'completed',
    response: '{}',
  };
  const append = { run: fresh, event, lease: { holder: 'here', until: 1_000 } };
  expect(await appendEvent({ ...append, deferred: deferHeader(fresh) })).toBe(true);
  expect(await appendEvent({ ...append, deferred: deferHeader(fresh) })).toBe(true);
  expect(await readEvents(fresh.run_id)).toHaveLength(1);
  // The same where only the header of it was stored.
  const half = { ...append, run: { ...fresh, run_id: newRunId() } };
  await insertRun(half.run);
  expect(await appendEvent({ ...half, deferred: deferHeader(half.run) })).toBe(true);
  expect(await readRun(half.run.run_id)).toMatchObject({ status: 'completed', generation: 1 });
});

test('the workers that die of a run are counted from the first', async () => {
  const agent = await liveAgent({ flow: computing });
  const message = webhookMessage(agent);
  // None of them executes what it has begun.
  const delivery = { trace: undefined, hide: () => undefined, log: requestLog({}) };
  const first = await beginRun(message, { ...delivery, isRepeated: false });
  expect(first.kind).toBe('begun');
  expect(await readRun(message.triggerId)).toBeUndefined();
  await beginRun(message, { ...delivery, isRepeated: true });
  for (let claims = 2; claims < claimsMax; claims += 1) {
    const stored = await readRun(message.triggerId);
    expect(stored).toMatchObject({ claims });
    await expireLease(message.triggerId);
    if (stored) await claimRun(stored, `worker_${claims}`, Date.now(), Date.now() + 60_000);
  }
  await expireLease(message.triggerId);
  await work([JSON.stringify(message)], 5);
  expect(await state(agent, message.triggerId)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`the end of ${claimsMax} workers in a row`),
  });
});
