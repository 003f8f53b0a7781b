import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { readRow } from '#lib/registry/row/row-items.ts';
import { claimsMax } from '#lib/run/lease-times.ts';
import { appendEvent, insertRun, readRun } from '#lib/run/run-items.ts';
import { claimRun } from '#lib/run/run-lease.ts';
import { newRun } from '#lib/run/start.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { startAwsProxy } from '#test/support/aws-proxy.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { askingFlow, callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { ownQueue, takeDeadLetter, webhookMessage } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { locked, longShift, state, work } from '#test/support/worker.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** Its end does not fit into the header of its run. Hexadecimal digits compress to half. */
const largeAnswer = flow({
  start: 'done',
  nodes: { done: { type: 'end', output: { text: randomBytes(60_000).toString('hex') } } },
});

/** While the table of runs is out of reach. */
async function disturbed(act: () => Promise<void>): Promise<void> {
  const table = process.env.RUNS_TABLE;
  process.env.RUNS_TABLE = 'no-such-table';
  try {
    await act();
  } finally {
    process.env.RUNS_TABLE = table;
  }
}

describe('a message that cannot be processed now', () => {
  test('is delivered again while it has attempts left, and is parked with the reason at the last', async () => {
    const agent = await liveAgent();
    const body = JSON.stringify(webhookMessage(agent));
    await disturbed(async () => {
      expect((await work([body], 4)).batchItemFailures).toHaveLength(1);
      expect(await work([body], 5)).toEqual({ batchItemFailures: [] });
    });
    expect((await takeDeadLetter(body))?.reason).toContain('ResourceNotFoundException');
  });

  test('because another worker executes its run is delayed until the lease expires, however often it arrives', async () => {
    const { body, end } = await locked(upstream);
    await using queue = await ownQueue();
    expect(await work([body], 5)).toEqual({ batchItemFailures: [] });
    expect(await queue.delayed()).toBe(1);
    await end();
    expect(await work([body], 5)).toEqual({ batchItemFailures: [] });
    expect(await queue.delayed()).toBe(1);
  });

  test('because its run is paused is delayed, and the run resumes on time', async () => {
    const agent = await liveAgent({
      flow: flow({
        start: 'rest',
        nodes: {
          rest: { type: 'wait', seconds: 60, next: 'done' },
          done: { type: 'end', output: { rested: true } },
        },
      }),
    });
    const message = webhookMessage(agent);
    await using queue = await ownQueue();
    expect(await runQueued(message, longShift)).toEqual({ kind: 'done' });
    expect(await queue.delayed()).toBe(1);
    expect(await runQueued(message, longShift)).toMatchObject({ kind: 'later' });
    expect((await state(agent, message.triggerId)).status).toBe('pending');
  });
});

test('a run that asks a question resumes even if its message arrives long after its time', async () => {
  const agent = await liveAgent({ flow: askingFlow({ timeout_seconds: 3_600 }) });
  const message = webhookMessage(agent);
  expect(await runQueued(message, longShift)).toEqual({ kind: 'done' });
  const run = await readRun(message.triggerId);
  if (!run) throw new Error('The run was just made.');
  const { status, generation } = run;
  const event = { generation: generation + 1, at: new Date().toISOString(), status };
  const past = Date.now() - 3_600_000;
  expect(await appendEvent({ run, event, header: { wake_at: past, deadline: past } })).toBe(true);
  expect(await runQueued(message, longShift)).toEqual({ kind: 'done' });
  expect(await state(agent, run.run_id)).toMatchObject({ status: 'input_required', requires_input: true });
});

describe('messages are hidden', () => {
  const entries = z.object({
    Entries: z.array(z.object({ ReceiptHandle: z.string(), VisibilityTimeout: z.number() })),
  });

  async function hiddenDuring(act: () => Promise<unknown>): Promise<unknown[]> {
    const hidden: unknown[] = [];
    const before = process.env.RUN_QUEUE_URL ?? '';
    const proxy = await startAwsProxy(new URL(before).origin, (operation, body) => {
      if (operation === 'ChangeMessageVisibilityBatch')
        hidden.push(entries.parse(JSON.parse(body.toString())).Entries);
      return 'pass';
    });
    process.env.RUN_QUEUE_URL = before.replace(new URL(before).origin, proxy.url);
    // A busy machine may take a second.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await act();
    } finally {
      vi.useRealTimers();
      process.env.RUN_QUEUE_URL = before;
      await proxy.close();
    }
    return hidden;
  }
  const forSeconds = (VisibilityTimeout: number, ...handles: readonly string[]) =>
    handles.map((ReceiptHandle) => ({ ReceiptHandle, VisibilityTimeout }));

  test('for two minutes at a time, and those that failed longer with each attempt', async () => {
    const agent = await liveAgent();
    const good = JSON.stringify(webhookMessage(agent));
    const hidden = await hiddenDuring(() =>
      disturbed(async () => expect((await work([good, good], 3)).batchItemFailures).toHaveLength(2)),
    );
    const both = ['handle-0', 'handle-1'];
    expect(hidden).toEqual([forSeconds(120, ...both), forSeconds(600, ...both)]);
  });

  test('before a run is stored that has effects, and not for one that only computes and is over soon', async () => {
    const computing = await liveAgent();
    const calling = await liveAgent({ flow: callingFlow(upstream, [`count/${unique('count')}`]) });
    const run = (agent: TestAgent, receiveCount: number) => () =>
      work([JSON.stringify(webhookMessage(agent))], receiveCount);
    expect(await hiddenDuring(run(computing, 1))).toEqual([]);
    expect(await hiddenDuring(run(calling, 1))).toEqual([forSeconds(120, 'handle-0')]);
    // What does not fit into the header is stored before the end.
    const large = await liveAgent({ flow: largeAnswer });
    expect(await hiddenDuring(run(large, 1))).toEqual([forSeconds(120, 'handle-0')]);
    // It may have killed its worker the first time.
    expect(await hiddenDuring(run(computing, 2))).toEqual([forSeconds(120, 'handle-0')]);
  });
});

describe('a run whose workers fail', () => {
  test('one after the other at the same node fails with the reason, and leaves no dead letter', async () => {
    const agent = await liveAgent();
    const message = webhookMessage(agent);
    const row = await readRow(agent.a2aregistryid);
    if (!row) throw new Error('The row was just made.');
    const run = newRun({
      runId: message.triggerId,
      row,
      caller: message.caller,
      trigger: 'webhook',
      mode: 'queued',
      environment: 'live',
      now: Date.now(),
      limitMs: 60_000,
    });
    await insertRun(run);
    for (let claims = 0; claims < claimsMax; claims += 1) {
      expect(await claimRun({ ...run, claims }, `dead-${claims}`, Date.now(), Date.now() - 1)).toBe(true);
    }
    expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
    expect(await takeDeadLetter(message.triggerId)).toBeUndefined();
    expect(await state(agent, message.triggerId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('workers in a row'),
    });
  });
});
