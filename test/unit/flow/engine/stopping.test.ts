// Time limits and cancellation: every run ends when it has to, and sends nothing afterwards.
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { checkedFlow, httpAnswer, never, quiet, run, runNodes, scripted } from '../scripted.ts';

const egress = ['api.example.com'];
const http = { type: 'http', url: 'https://api.example.com/x' };
const end = { type: 'end', output: { error: '{{ nodes.a.error }}', tries: '{{ state.tries }}' } };

describe('time and cancellation', () => {
  const stubborn = (seen: NodeCall[]) => ({
    http: (_request: unknown, call: NodeCall) => {
      seen.push(call);
      return never<never>();
    },
  });

  test('a node past its time limit fails with timeout, which it may catch', async () => {
    const seen: NodeCall[] = [];
    const recorded = scripted(stubborn(seen));
    const node = { ...http, timeout_seconds: 5, catch: [{ on: ['timeout'], next: 'b' }], next: 'b' };
    const running = run(checkedFlow({ a: node, b: end }, { egress }), recorded);
    await quiet();
    expect(seen[0]?.signal.aborted).toBe(false);
    recorded.clock.pass(5_000);
    expect(await running).toMatchObject({
      response: { error: { code: 'timeout', message: 'The node passed its time limit of 5 s.' } },
    });
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  test.each([
    ['the limit of the flow', { limits: { timeout_seconds: 30 } }, {}, 30],
    ['the time the caller gives', { limits: { timeout_seconds: 30 } }, { timeoutMs: 7_000 }, 7],
    ['what is left of that, which it says in round numbers', {}, { timeoutMs: 6_999.616 }, 7],
    ['the default', {}, {}, limits.runSecondsDefault],
  ])('a run ends at %s, although a port ignores its signal', async (_name, flow, options, seconds) => {
    const seen: NodeCall[] = [];
    const recorded = scripted(stubborn(seen));
    const node = { ...http, timeout_seconds: 600, catch: [{ on: ['*'], next: 'a' }], next: 'a' };
    const running = run(checkedFlow({ a: node }, { egress, ...flow }), recorded, options);
    await quiet();
    recorded.clock.pass(seconds * 1_000);
    expect(await running).toMatchObject({
      status: 'failed',
      error: {
        code: 'limit.timeout',
        message: `The run passed its time limit of ${seconds} s.`,
        node_id: 'a',
      },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(recorded.clock.sleeping()).toEqual([]);
  });

  test.each(['http', 'retry delay', 'checkpoint'])(
    'a canceled run settles during a %s, and says nothing afterwards',
    async (place) => {
      const controller = new AbortController();
      let finish: (() => void) | undefined;
      const later = <T>(value: T) => new Promise<T>((resolve) => (finish = () => resolve(value)));
      const recorded = scripted({
        http: () =>
          place === 'http' ? later(httpAnswer(200)) : httpAnswer(place === 'checkpoint' ? 200 : 500),
        checkpoint: () => (place === 'checkpoint' ? later(undefined) : undefined),
      });
      const nodes = {
        a: { ...http, retry: { max_attempts: 2, delay_ms: 1_000, on: ['*'] }, next: 'b' },
        b: { type: 'reply', text: 'late' },
      };
      const running = run(checkedFlow(nodes, { egress }), recorded, { signal: controller.signal });
      await quiet();
      controller.abort();
      expect(await running).toEqual({
        status: 'failed',
        error: { code: 'canceled', message: 'The run was canceled.' },
      });
      const said = [recorded.entries.length, recorded.snapshots.length, recorded.replies.length];
      finish?.();
      recorded.clock.pass(10_000);
      await quiet();
      expect([recorded.entries.length, recorded.snapshots.length, recorded.replies.length]).toEqual(said);
      expect(recorded.entries.at(-1)?.event).toBe('run_failed');
    },
  );

  test('a run that is canceled before it starts runs no node', async () => {
    const { outcome, requests } = await runNodes(
      { a: http },
      {},
      { flow: { egress }, options: { signal: AbortSignal.abort() } },
    );
    expect(outcome).toMatchObject({ error: { code: 'canceled' } });
    expect(requests).toEqual([]);
  });

  test('slow expressions let timers run, so that a cancellation gets through', async () => {
    const controller = new AbortController();
    const recorded = scripted();
    const clock = {
      ...recorded.clock,
      monotonic: () => performance.now(),
      sleep: async (ms: number) => {
        if (ms === 0) await quiet();
        else await never();
      },
    };
    const slow = '{{ $sum([1..3000].($ * 2)) }}';
    setImmediate(() => controller.abort());
    const outcome = await run(
      checkedFlow({ a: { type: 'transform', output: Array.from({ length: 1000 }, () => slow) } }),
      {
        ...recorded,
        ports: { ...recorded.ports, clock },
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ error: { code: 'canceled' } });
  });
});
