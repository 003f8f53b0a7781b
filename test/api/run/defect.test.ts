// A run that fails by a defect of the service: the operator's log has the cause, and nothing of it is in the
// run.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runQueued } from '#lib/worker/run-queued.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { liveAgent } from '#test/support/flows.ts';
import { recordingLog } from '#test/support/recording-log.ts';
import { runState } from '#test/support/run-calls.ts';
import { runWrites, webhookMessage } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** Runs a flow that calls another just when the table of builds cannot be found. */
async function failedByDefect(table: string) {
  const gate = unique('gate');
  const nodes = {
    first: { type: 'http', url: `${upstream.url}/gate/${gate}`, next: 'other' },
    other: { type: 'flow', flowid: 'other', next: 'done' },
    done: { type: 'end', output: {} },
  };
  const agent = await liveAgent({ flow: flow({ egress: [upstream.host], start: 'first', nodes }) });
  const message = webhookMessage(agent);
  const lines: { readonly message: string; readonly fields: unknown }[] = [];
  const log = recordingLog((message, fields) => lines.push({ message, fields }));
  const working = runQueued(message, { remainingMs: () => 900_000, log });
  await upstream.arrived(gate);
  const before = process.env.CONTROL_TABLE;
  process.env.CONTROL_TABLE = table;
  try {
    upstream.open(gate);
    await working;
  } finally {
    process.env.CONTROL_TABLE = before;
  }
  return { agent, lines, id: message.triggerId };
}

test('logs the run, the node and the cause with its stack, and shows none of them to the caller', async () => {
  const table = unique('no-such-table');
  const { agent, lines, id } = await failedByDefect(table);
  const line = lines.find(({ message }) => message === 'run failed by a defect');
  expect(line?.fields).toEqual({
    run_id: id,
    node_id: 'other',
    reason: expect.stringContaining('ResourceNotFoundException: '),
    stack: expect.stringMatching(/\n +at .*\.ts:\d+/),
  });
  const { status, error } = await runState(agent, id);
  expect({ status, error }).toEqual({
    status: 'failed',
    error: 'other: The node failed unexpectedly. (internal)',
  });
  const stored = JSON.stringify(await runWrites(id));
  for (const hidden of [table, 'ResourceNotFound', '.ts:']) expect(stored).not.toContain(hidden);
});
