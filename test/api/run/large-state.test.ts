// The state of a run that is larger than an item of the table is stored in chunks, from which the run resumes.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { requestLog } from '#lib/log.ts';
import { appendEvent, insertRun, readRun } from '#lib/run/run-items.ts';
import { createSnapshotKeeper, itemBytesMax, readSnapshot } from '#lib/run/run-snapshot.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { callingFlow, liveAgent } from '#test/support/flows.ts';
import { runState } from '#test/support/run-calls.ts';
import { eventually, expireLease, runWrites, webhookMessage } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

/** Answers 110 KB that no codec makes smaller, other ones each time. */
const noisy = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ noise: randomBytes(110_000).toString('base64') }));
});
let noise: string;
let upstream: Upstream;
beforeAll(async () => {
  noise = await listen(noisy, 0);
  upstream = await startUpstream();
});
afterAll(async () => void (await Promise.all([upstream.close(), closeServer(noisy)])));

const shift = { remainingMs: () => 900_000, log: requestLog({}) };
const readChunks = async (id: string) =>
  (await runWrites(id)).map(({ sk }) => sk).filter((sk) => sk.startsWith('SNAPCHUNK#'));

test('another worker resumes from the chunks, and repeats no earlier node', async () => {
  const gate = unique('gate');
  const calls = callingFlow(upstream, [`gate/${gate}`]);
  const grow = (n: number, next: string) =>
    [`grow_${n}`, { type: 'http', url: `${noise}/${n}`, next }] as const;
  const agent = await liveAgent({
    flow: flow({
      egress: [new URL(noise).host, upstream.host],
      start: 'grow_1',
      nodes: {
        ...Object.fromEntries([1, 2, 3].map((n) => grow(n, `grow_${n + 1}`))),
        ...Object.fromEntries([grow(4, 'step_0')]),
        ...calls.nodes,
      },
    }),
  });
  const message = webhookMessage(agent);
  const stale = runQueued(message, shift);
  await upstream.arrived(gate);
  expect((await readChunks(message.triggerId)).length).toBeGreaterThan(1);
  await expireLease(message.triggerId);
  const successor = runQueued(message, shift);
  await eventually(
    async () => upstream.calls(gate),
    (count) => count === 2,
  );
  upstream.open(gate);
  await Promise.all([stale, successor]);
  const { status, logs } = await runState(agent, message.triggerId);
  expect(status).toBe('completed');
  const started = logs.filter(({ event }) => event === 'started').map(({ node_id }) => node_id);
  expect(started.filter((id) => id?.startsWith('grow'))).toEqual(['grow_1', 'grow_2', 'grow_3', 'grow_4']);
});

test('the chunks of a state are deleted when a newer one is stored, and a reader always sees one complete state', async () => {
  const stored = run({ run_id: newRunId(), generation: 0, lease: 'a', lease_until: Date.now() + 60_000 });
  await insertRun(stored);
  const keeper = createSnapshotKeeper(stored, 'a');
  const keep = async (sealed: Uint8Array) => {
    const generation = ((await readRun(stored.run_id))?.generation ?? 0) + 1;
    const snapshot = await keeper.toItem(generation, sealed);
    const lease = { holder: 'a', until: Date.now() + 60_000 };
    const event = { generation, at: new Date().toISOString(), status: 'working' as const };
    expect(await appendEvent({ run: stored, event, lease, snapshot })).toBe(true);
    await keeper.dropFormer();
    expect(Buffer.from((await readSnapshot(stored.run_id))?.encrypted ?? '')).toEqual(Buffer.from(sealed));
    return (await readChunks(stored.run_id)).length;
  };
  expect(await keep(randomBytes(2 * itemBytesMax + 1))).toBe(3);
  expect(await keep(randomBytes(itemBytesMax + 1))).toBe(2);
  expect(await keep(randomBytes(itemBytesMax))).toBe(0);
});
