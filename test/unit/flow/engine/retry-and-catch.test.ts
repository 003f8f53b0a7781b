// What a flow does about the errors of its nodes.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { checkedFlow, httpAnswer, quiet, run, runNodes, scripted, startedAt } from '../scripted.ts';

const egress = ['api.example.com'];
const http = { type: 'http', url: 'https://api.example.com/x' };
const end = { type: 'end', output: { error: '{{ nodes.a.error }}', tries: '{{ state.tries }}' } };

/** Answers in turn; the last one again and again. */
const inTurn = (...statuses: readonly number[]) => {
  let turn = 0;
  return () => httpAnswer(statuses[Math.min(turn++, statuses.length - 1)] ?? 200);
};

describe('retry', () => {
  const retry = {
    max_attempts: 4,
    delay_ms: 100,
    backoff: 3,
    max_delay_ms: 500,
    on: ['http.5xx', 'http.429'],
  };

  test('waits longer each time, up to its bound, and then gives up', async () => {
    const recorded = scripted({ http: inTurn(500) });
    const running = run(checkedFlow({ a: { ...http, retry } }, { egress }), recorded);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 4; attempt++) {
      await quiet();
      waits.push(Math.min(...recorded.clock.sleeping()));
      recorded.clock.pass(500);
    }
    expect(await running).toMatchObject({ status: 'failed', error: { code: 'http.500' } });
    // Of 100, 300 and 500 ms, with the jitter of this run, node and attempt.
    expect(waits).toEqual([65, 277, 309]);
    expect(recorded.requests).toHaveLength(4);
    expect(recorded.entries.filter(({ event }) => event === 'retry').map(({ attempt }) => attempt)).toEqual([
      1, 2, 3,
    ]);
  });

  test('every attempt is the same write: its idempotency key stays', async () => {
    const recorded = scripted({ http: inTurn(500, 200) });
    const retrying = { ...http, method: 'POST', retry: { ...retry, delay_ms: 0 } };
    const running = run(checkedFlow({ a: retrying }, { egress }), recorded);
    await quiet();
    recorded.clock.pass(0);
    await running;
    expect(recorded.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'run-1.a.1',
      'run-1.a.1',
    ]);
  });

  test('waits as long as the host asks for, and repeats the same delay after a crash', async () => {
    const busy = () => ({ status: 429, headers: { 'retry-after': '2' }, body: null });
    const waitOf = async (snapshot?: Snapshot) => {
      const recorded = scripted({ http: busy });
      const flow = checkedFlow({ a: { ...http, retry: { ...retry, max_delay_ms: 4_000 } } }, { egress });
      const abort = new AbortController();
      const running = run(flow, recorded, { signal: abort.signal, ...(snapshot && { snapshot }) });
      await quiet();
      const [wait] = recorded.clock.sleeping().filter((ms) => ms < 60_000);
      abort.abort();
      await running;
      return wait;
    };
    const wait = await waitOf();
    expect(wait).toBeGreaterThanOrEqual(2_000);
    expect(wait).toBeLessThanOrEqual(2_200);
    expect(await waitOf()).toBe(wait);
  });

  test('a delay that is longer than a worker may sleep pauses the run, and the next attempt follows', async () => {
    let calls = 0;
    const busyOnce = () =>
      ++calls === 1
        ? { status: 503, headers: { 'retry-after': '30' }, body: null }
        : { status: 200, headers: {}, body: 'done' };
    const nodes = {
      a: { ...http, retry: { ...retry, max_delay_ms: 60_000 }, next: 'b' },
      b: { type: 'end', output: { body: '{{ nodes.a.body }}' } },
    };
    const flow = checkedFlow(nodes, { egress });
    const paused = await run(flow, scripted({ http: busyOnce }));
    if (paused.status !== 'waiting') throw new Error(`The run is ${paused.status}.`);
    expect(Date.parse(paused.until) - startedAt).toBeGreaterThanOrEqual(30_000);
    expect(Date.parse(paused.until) - startedAt).toBeLessThanOrEqual(34_000);
    const snapshot: Snapshot = JSON.parse(JSON.stringify(paused.snapshot));
    const early = await run(flow, scripted({ http: busyOnce }), { snapshot });
    expect(early).toMatchObject({ status: 'waiting', until: paused.until });
    expect(calls).toBe(1);
    const late = scripted({ http: busyOnce });
    late.clock.pass(34_000);
    expect(await run(flow, late, { snapshot })).toMatchObject({ response: { body: 'done' } });
    expect(calls).toBe(2);
  });

  test('a pause before an attempt does not add attempts', async () => {
    const busy = () => ({ status: 503, headers: { 'retry-after': '30' }, body: null });
    const flow = checkedFlow(
      { a: { ...http, retry: { ...retry, max_attempts: 2, max_delay_ms: 60_000 } } },
      { egress },
    );
    const paused = await run(flow, scripted({ http: busy }));
    if (paused.status !== 'waiting') throw new Error(`The run is ${paused.status}.`);
    const late = scripted({ http: busy });
    late.clock.pass(34_000);
    const outcome = await run(flow, late, { snapshot: JSON.parse(JSON.stringify(paused.snapshot)) });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'http.503' } });
  });

  test('an error it does not name is not tried again', async () => {
    const { requests } = await runNodes(
      { a: { ...http, retry } },
      { http: inTurn(404) },
      { flow: { egress } },
    );
    expect(requests).toHaveLength(1);
  });
});

describe('catch', () => {
  test('the first catcher that means the error takes over and sees it', async () => {
    const nodes = {
      a: {
        ...http,
        catch: [
          { on: ['http.404'], next: 'c' },
          { on: ['http.*'], next: 'b', assign: { tries: '{{ nodes.a.error.code }}' } },
        ],
        next: 'c',
      },
      b: end,
      c: { type: 'fail', message: 'wrong way' },
    };
    const { outcome, entries } = await runNodes(nodes, { http: inTurn(503) }, { flow: { egress } });
    expect(outcome).toEqual({
      status: 'completed',
      response: {
        error: {
          code: 'http.503',
          message: 'GET api.example.com answered 503.',
          response: { status: 503, headers: {}, body: null },
        },
        tries: 'http.503',
      },
    });
    expect(entries.find(({ event }) => event === 'caught')).toMatchObject({
      level: 'warn',
      status: 'failed',
      node_id: 'a',
    });
  });

  test('a mistake in assign is caught as well', async () => {
    const nodes = {
      a: {
        type: 'transform',
        output: 1,
        assign: { x: '{{ 1 + "x" }}' },
        catch: [{ on: ['expression.*'], next: 'b' }],
        next: 'b',
      },
      b: end,
    };
    expect((await runNodes(nodes)).outcome).toMatchObject({
      response: { error: { code: 'expression.error' } },
    });
  });

  test('what is unexpected shows nothing of itself', async () => {
    const cause = new TypeError('secret detail');
    const { outcome, entries } = await runNodes(
      { a: http },
      { http: () => Promise.reject(cause) },
      { flow: { egress } },
    );
    expect(outcome).toEqual({
      status: 'failed',
      error: { code: 'internal', message: 'The node failed unexpectedly.', node_id: 'a', cause },
    });
    expect(JSON.stringify(entries)).not.toContain('secret detail');
  });
});
