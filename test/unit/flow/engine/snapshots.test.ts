// Snapshots, yielding and the log.
import { describe, expect, test } from 'vitest';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import {
  checkedFlow,
  emptyInput,
  httpAnswer,
  modelAnswer,
  quiet,
  run,
  runNodes,
  scripted,
  startedAt,
} from '../scripted.ts';

const egress = ['api.example.com'];
const http = { type: 'http', url: 'https://api.example.com/x' };
const end = { type: 'end', output: { error: '{{ nodes.a.error }}', tries: '{{ state.tries }}' } };

describe('snapshots', () => {
  const chain = {
    a: { type: 'transform', output: 1, next: 'b' },
    b: { type: 'llm', prompt: 'x', next: 'c' },
    c: { type: 'end', output: { b: '{{ nodes.b }}' } },
  };

  test('one follows each node, with all that is needed to go on', async () => {
    const { snapshots } = await runNodes(chain, { model: () => modelAnswer('Hi', 5) });
    expect(snapshots.map((text) => JSON.parse(text))).toMatchObject([
      { version: 2, next: 'b', steps: 1, visits: { a: 1 }, nodes: { a: 1 }, modelCalls: 0 },
      {
        version: 2,
        next: 'c',
        steps: 2,
        visits: { a: 1, b: 1 },
        nodes: { a: 1, b: 'Hi' },
        modelCalls: 1,
        tokens: 10,
      },
    ]);
  });

  test('a snapshot stays as it is until the port has kept it', async () => {
    const kept: string[] = [];
    const checkpoint = async (snapshot: Snapshot) => {
      await quiet();
      kept.push(JSON.stringify(snapshot));
    };
    const recorded = scripted({ checkpoint });
    await run(checkedFlow(chain), recorded);
    expect(kept).toEqual(recorded.snapshots);
  });

  test('the last snapshot stays as it is while the next node is executed', async () => {
    let last: Snapshot | undefined;
    let meanwhile: string | undefined;
    const recorded = scripted({
      checkpoint: (snapshot) => {
        last = snapshot;
      },
      model: () => {
        meanwhile = JSON.stringify(last);
        return modelAnswer('Hi', 5);
      },
    });
    await run(checkedFlow(chain), recorded);
    expect(meanwhile).toBe(recorded.snapshots[0]);
  });

  test('the last snapshot keeps its visits when the last node has ended', async () => {
    const taken: Snapshot[] = [];
    const recorded = scripted({
      checkpoint: (snapshot) => {
        taken.push(snapshot);
      },
      model: () => modelAnswer('Hi', 5),
    });
    await run(checkedFlow(chain), recorded);
    expect(taken.at(-1)?.visits).toEqual(JSON.parse(recorded.snapshots.at(-1) ?? '').visits);
  });

  test('the visits are not copied for each node, which would take time with the square of the nodes', async () => {
    const taken: Snapshot[] = [];
    const ids = ['a', 'b', 'c', 'd'];
    const nodes = ids.map((id, n) => [id, { type: 'transform', output: n, next: ids[n + 1] ?? 'done' }]);
    const recorded = scripted({
      checkpoint: (snapshot) => {
        taken.push(snapshot);
      },
    });
    await run(checkedFlow({ ...Object.fromEntries(nodes), done: { type: 'end', output: {} } }), recorded);
    expect(taken.length).toBeGreaterThan(3);
    expect(new Set(taken.map(({ visits }) => visits)).size).toBe(1);
  });

  test('the run yields before a node once its time to yield has come', async () => {
    const http200 = () => {
      recorded.clock.pass(100);
      return httpAnswer(200);
    };
    const recorded = scripted({ http: http200 });
    const flow = checkedFlow({ a: { ...http, next: 'b' }, b: { ...http, next: 'c' }, c: end }, { egress });
    const outcome = await run(flow, recorded, { yieldAt: recorded.clock.monotonic() + 50 });
    expect(outcome).toMatchObject({ status: 'yielded', snapshot: { next: 'b', elapsedMs: 100 } });
    expect(recorded.requests).toHaveLength(1);
    expect(recorded.entries.at(-1)?.event).toBe('completed');
  });

  test('a resumed run counts what came before against its limits', async () => {
    const flow = checkedFlow(
      { a: { ...http, next: 'a' } },
      { egress, limits: { max_steps: 3, timeout_seconds: 10 } },
    );
    const first = scripted();
    const yielded = await run(flow, first, { yieldAt: 0 });
    if (yielded.status !== 'yielded') throw new Error('expected the run to yield');
    const late = { ...yielded.snapshot, elapsedMs: 10_000 };
    expect(await run(flow, scripted(), { snapshot: late })).toMatchObject({
      error: { code: 'limit.timeout' },
    });
    const used = { ...yielded.snapshot, steps: 3 };
    expect(await run(flow, scripted(), { snapshot: used })).toMatchObject({ error: { code: 'limit.steps' } });
  });

  test('a snapshot that cannot be kept rejects the run, because it may have another owner', async () => {
    const lost = new NodeError('lost', 'Another runner has the lease.');
    const recorded = scripted({ checkpoint: () => Promise.reject(lost) });
    await expect(run(checkedFlow(chain), recorded)).rejects.toBe(lost);
    expect(recorded.entries.at(-1)?.event).toBe('completed');
  });

  test('a compiled flow serves many runs', async () => {
    const compiled = compileFlow(checkedFlow(chain));
    const options = { runId: 'r', input: emptyInput, startedAt, signal: new AbortController().signal };
    const outcomes = await Promise.all(
      [1, 2].map(() => runFlow(compiled, { ...options, ports: scripted().ports })),
    );
    expect(outcomes).toEqual([1, 2].map(() => ({ status: 'completed', response: { b: 'ok' } })));
  });
});

describe('the log', () => {
  test('never shows what seems to be a secret, nor the value of a header', async () => {
    const secret = 'sk-abcdefghijklmnop1234';
    const { entries } = await runNodes(
      {
        a: {
          type: 'transform',
          output: { api_key: 'plain-value', note: `use ${secret}`, auth: 'Bearer abcdefgh12345' },
          next: 'b',
        },
        b: { ...http, headers: { authorization: '{{ nodes.a.auth }}', 'x-key': 'header-value' }, next: 'c' },
        c: { type: 'llm', prompt: 'x', next: 'd' },
        d: { type: 'fail', message: `It was ${secret}` },
      },
      { model: () => modelAnswer(`The key is ${secret}`) },
      { flow: { egress } },
    );
    const text = JSON.stringify(entries);
    for (const hidden of [secret, 'plain-value', 'abcdefgh12345', 'header-value'])
      expect(text).not.toContain(hidden);
    expect(text).toContain('[redacted]');
  });

  test('keeps each message short', async () => {
    const { entries } = await runNodes(
      { a: { type: 'llm', prompt: 'x' } },
      { model: () => modelAnswer('y'.repeat(50_000)) },
    );
    for (const { message } of entries) expect(message.length).toBeLessThanOrEqual(limits.previewCharsMax);
  });
});
