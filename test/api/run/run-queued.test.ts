import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { card, flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { recordingLog } from '#test/support/recording-log.ts';
import { deliver, eventually, expireLease, takeDeadLetter, webhookMessage } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { locked, longShift, shift, state, work } from '#test/support/worker.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('a batch', () => {
  test('moves its invalid messages to the dead letters with their reasons, and runs its valid ones once', async () => {
    const name = unique('count');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
    const good = [webhookMessage(agent), webhookMessage(agent)];
    const unknown = webhookMessage(agent, { flowid: unique('flow') });
    const malformed = unique('malformed');
    const incomplete = { ...webhookMessage(agent), event: undefined };
    const bodies = [
      malformed,
      ...[good[0], unknown, incomplete, good[1]].map((each) => JSON.stringify(each)),
    ];
    expect(await work(bodies)).toEqual({ batchItemFailures: [] });
    expect(upstream.calls(name)).toBe(2);
    for (const { triggerId } of good) expect((await state(agent, triggerId)).status).toBe('completed');
    const reasons = await Promise.all(
      [malformed, unknown.triggerId, incomplete.triggerId].map(
        async (text) => (await takeDeadLetter(text))?.reason,
      ),
    );
    expect(reasons[0]).toMatch(/malformed/);
    expect(reasons[1]).toContain(unknown.flowid);
    expect(reasons[2]).toMatch(/malformed/);
  });

  test('runs an event that it has twice once, and the second delivery is repeated', async () => {
    const name = unique('count');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
    const message = JSON.stringify(webhookMessage(agent));
    const { batchItemFailures } = await work([message, message]);
    expect(batchItemFailures.length).toBeLessThanOrEqual(1);
    expect(upstream.calls(name)).toBe(1);
    expect(await work([message, message])).toEqual({ batchItemFailures: [] });
    expect(upstream.calls(name)).toBe(1);
  });

  test('another event under the name of a run has no effect, and is logged', async () => {
    const name = unique('count');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
    const message = webhookMessage(agent);
    const other = webhookMessage(agent, { triggerId: message.triggerId, event: { event: 'other' } });
    const lines: unknown[] = [];
    const log = recordingLog((text, fields) => lines.push({ text, fields }));
    const recorded = async (each: typeof message) => {
      lines.length = 0;
      await runQueued(each, { ...longShift, log });
      return lines.filter((line) => JSON.stringify(line).includes('event dropped'));
    };
    expect(await recorded(message)).toEqual([]);
    expect(await recorded(message)).toEqual([]);
    const { orgid, workspaceid, flowid } = agent;
    const fields = { run_id: message.triggerId, orgid, workspaceid, flowid };
    expect(await recorded(other)).toEqual([{ text: expect.stringContaining('another event'), fields }]);
    expect(upstream.calls(name)).toBe(1);
  });

  test('of two concurrent events under one name one is run, and the other is logged', async () => {
    const agent = await liveAgent();
    const message = webhookMessage(agent);
    const texts: string[] = [];
    const log = recordingLog((text) => texts.push(text));
    const messages = ['one', 'other'].map((event) => ({ ...message, event: { event } }));
    await Promise.all(messages.map((each) => runQueued(each, { ...longShift, log })));
    expect(texts.filter((text) => text.startsWith('event dropped')).length).toBe(1);
    await eventually(
      () => state(agent, message.triggerId),
      ({ status }) => status === 'completed',
    );
  });

  test('a parked message is unchanged', async () => {
    const agent = await liveAgent();
    const message = JSON.stringify(webhookMessage(agent, { flowid: unique('flow') }));
    await deliver(message);
    await idle();
    expect((await takeDeadLetter(message))?.body).toBe(message);
  });

  test.each(['null', '[]', '{}', '{"kind":"other"}', '{"kind":"run","triggerId":"x"}', '"text"'])(
    'the body %j is parked and not tried again',
    async (body) => {
      expect(await work([body])).toEqual({ batchItemFailures: [] });
      expect((await takeDeadLetter(body))?.reason).toBeTruthy();
    },
  );
});

describe('a build that was deleted', () => {
  test('before its event was run: the event is a dead letter', async () => {
    const agent = await liveAgent();
    const message = webhookMessage(agent);
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid: agent.a2aregistryid } });
    expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
    expect((await takeDeadLetter(message.triggerId))?.reason).toContain('no live build');
  });

  test('while its run waits for another worker: the run fails with the reason, and leaves no dead letter', async () => {
    const { agent, body, message, end } = await locked(upstream);
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid: agent.a2aregistryid } });
    await expireLease(message.triggerId);
    expect(await work([body])).toEqual({ batchItemFailures: [] });
    expect(await takeDeadLetter(message.triggerId)).toBeUndefined();
    const failed = await state(agent, message.triggerId);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('gone') });
    await end();
    expect(await state(agent, message.triggerId)).toEqual(failed);
  });
});

describe('a build that is updated while its run waits', () => {
  test('fails the run, because its snapshot belongs to another flow', async () => {
    const { agent, body, message, end } = await locked(upstream);
    const agent_card = card();
    const params = { a2aregistryid: agent.a2aregistryid };
    await call('updateRegistryRow', { key: agent.key, params, body: { agent_card, flow: flow() } });
    await expireLease(message.triggerId);
    expect(await work([body])).toEqual({ batchItemFailures: [] });
    expect((await state(agent, message.triggerId)).error).toContain('another flow');
    expect(await takeDeadLetter(message.triggerId)).toBeUndefined();
    await end();
  });
});

describe('a run', () => {
  test('continues in another invocation where the first had to stop, without repeating a node', async () => {
    const [first, gate] = [unique('first'), unique('gate')];
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`, `count/${first}`]) });
    const message = webhookMessage(agent);
    // 20 s are left for the hand-over, so a shift of 20 s and a little ends with its first node.
    const worked = runQueued(message, shift(20_001));
    await upstream.arrived(gate);
    upstream.open(gate);
    expect(await worked).toEqual({ kind: 'done' });
    await idle();
    const { status, logs } = await state(agent, message.triggerId);
    expect(status).toBe('completed');
    expect([upstream.calls(gate), upstream.calls(first)]).toEqual([1, 1]);
    expect(logs.map(({ seq }) => seq)).toEqual(logs.map((_, n) => n + (logs[0]?.seq ?? 0)));
    expect(logs.filter(({ event }) => event === 'run_started')).toHaveLength(1);
  });

  test('of a dead worker is resumed from its snapshot, and the former worker can no longer write', async () => {
    const [first, gate, last] = [unique('first'), unique('gate'), unique('last')];
    const agent = await liveAgent({
      flow: callingFlow(upstream, [`count/${first}`, `gate/${gate}`, `count/${last}`]),
    });
    const message = webhookMessage(agent);
    const stale = runQueued(message, longShift);
    await upstream.arrived(gate);
    const held = await runQueued(message, longShift);
    expect(held).toMatchObject({ kind: 'later', run: { run_id: message.triggerId } });
    await expireLease(message.triggerId);
    const successor = runQueued(message, longShift);
    await eventually(
      async () => upstream.calls(gate),
      (calls) => calls === 2,
    );
    upstream.open(gate);
    expect(await Promise.all([stale, successor])).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect((await state(agent, message.triggerId)).status).toBe('completed');
    expect([upstream.calls(first), upstream.calls(gate)]).toEqual([1, 2]);
    const events = await readEvents(message.triggerId);
    expect(events.filter(({ status }) => status === 'completed')).toHaveLength(1);
    expect((await readRun(message.triggerId))?.generation).toBe(events.at(-1)?.generation);
  });

  test('that a worker executes is not started again by another delivery of its message', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const message = webhookMessage(agent);
    const working = runQueued(message, longShift);
    await upstream.arrived(gate);
    expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
    upstream.open(gate);
    await working;
    expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
    expect(upstream.calls(gate)).toBe(1);
  });

  test('fails with a plain message after its deadline, and does not change any more', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({
      flow: callingFlow(upstream, [`gate/${gate}`], { limits: { timeout_seconds: 1 } }),
    });
    const message = webhookMessage(agent);
    await runQueued(message, longShift);
    expect(await state(agent, message.triggerId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('time limit'),
    });
    await upstream.abandoned(gate);
    upstream.open(gate);
    expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
    expect(upstream.calls(gate)).toBe(1);
  });
});
