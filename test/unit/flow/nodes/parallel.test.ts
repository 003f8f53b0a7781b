// The node type `parallel`: what branches see, how they are joined, and how they end one another.
import { describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { HttpRequest } from '#lib/flow/ports/http.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { checkedFlow, httpAnswer, never, quiet, run, runNodes, type Script, scripted } from '../scripted.ts';

const egress = ['api.example.com'];
const http = (place: string, more: object = {}) => ({
  type: 'http',
  url: `https://api.example.com/${place}`,
  ...more,
});
const branch = (id: string, node: object) => ({ start: id, nodes: { [id]: node } });
const fan = (branches: object, more: object = {}) => ({ type: 'parallel', branches, ...more });
const done = { type: 'end', output: { fan: '{{ nodes.fan }}' } };

/** Answers 200, or the status that the last part of the path says. */
const byPath: Script = {
  http: ({ url }) => httpAnswer(Number(/\d{3}$/.exec(url)?.[0] ?? 200), url.slice(24)),
};

const joined = async (branches: object, more: object = {}, script: Script = byPath) =>
  await runNodes({ fan: fan(branches, { ...more, next: 'done' }), done }, script, { flow: { egress } });

describe('scopes', () => {
  test('a branch gives the output of its last node, under its name', async () => {
    const { outcome } = await joined({
      a: {
        start: 'a1',
        nodes: {
          a1: { type: 'transform', output: 1, next: 'a2' },
          a2: { type: 'transform', output: '{{ nodes.a1 + 1 }}' },
        },
      },
      b: branch('b1', { type: 'transform', output: 'b' }),
    });
    expect(outcome).toEqual({ status: 'completed', response: { fan: { a: 2, b: 'b' } } });
  });

  test('a branch sees outputs and state from around it; its own outputs and changes of state stay inside', async () => {
    const count = { type: 'transform', output: '{{ state.n + nodes.first }}', assign: { n: 100 } };
    const { outcome } = await runNodes(
      {
        first: { type: 'transform', output: 5, next: 'fan' },
        fan: fan({ a: branch('a1', count), b: branch('b1', count) }, { next: 'done' }),
        done: {
          type: 'end',
          output: { fan: '{{ nodes.fan }}', n: '{{ state.n }}', ids: '{{ $keys(nodes) }}' },
        },
      },
      {},
      { flow: { state: { n: 1 } } },
    );
    expect(outcome).toMatchObject({ response: { fan: { a: 6, b: 6 }, n: 1, ids: ['first', 'fan'] } });
  });

  test('branches run at the same time', async () => {
    const open: (() => void)[] = [];
    const { outcome } = await joined(
      { a: branch('a1', http('a')), b: branch('b1', http('b')) },
      {},
      {
        http: () =>
          new Promise((resolve) => {
            open.push(() => resolve(httpAnswer(200)));
            if (open.length === 2) for (const answer of open) answer();
          }),
      },
    );
    expect(outcome.status).toBe('completed');
  });

  test('log entries contain the branch they belong to', async () => {
    const { entries } = await joined({ a: branch('a1', { type: 'transform', output: 1 }) });
    expect(entries.filter(({ node_id }) => node_id === 'a1').map(({ scope }) => scope)).toEqual([
      'fan.1.a',
      'fan.1.a',
    ]);
  });
});

describe('join all', () => {
  test('fails with the error of the first branch that fails in the order of the flow, whichever is faster', async () => {
    const { outcome } = await joined(
      { a: branch('a1', http('500')), b: branch('b1', http('404')) },
      {},
      {
        http: async (request, call) => {
          if (call.nodeId === 'a1') for (let turn = 0; turn < 20; turn++) await undefined;
          return httpAnswer(Number(request.url.slice(-3)));
        },
      },
    );
    expect(outcome).toMatchObject({
      error: { code: 'http.500', node_id: 'a1', message: expect.stringContaining('Branch "a"') },
    });
  });

  test('stops the branches behind the one that fails, and can be caught by its code', async () => {
    const calls: NodeCall[] = [];
    const waiting = { ...http('wait'), timeout_seconds: 600 };
    const { outcome } = await runNodes(
      {
        fan: fan(
          { a: branch('a1', http('404')), b: branch('b1', waiting) },
          { catch: [{ on: ['http.404'], next: 'done' }], next: 'done' },
        ),
        done,
      },
      {
        http: ({ url }: HttpRequest, call: NodeCall) => {
          calls.push(call);
          return url.endsWith('404') ? httpAnswer(404) : never();
        },
      },
      { flow: { egress } },
    );
    expect(outcome).toMatchObject({ response: { fan: { error: { code: 'http.404' } } } });
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  });

  test('a branch that a failure has made unnecessary does not begin again when the run resumes elsewhere', async () => {
    const recorded = scripted({
      http: ({ url }) => {
        if (url.endsWith('200')) recorded.clock.pass(1);
        return url.endsWith('202') ? never() : httpAnswer(Number(url.slice(-3)));
      },
    });
    const slow = {
      start: 'a1',
      nodes: { a1: http('200', { next: 'a2' }), a2: { type: 'transform', output: 1 } },
    };
    const branches = { a: slow, b: branch('b1', http('404')), c: branch('c1', http('202')) };
    const flow = checkedFlow({ fan: fan(branches, { next: 'done' }), done }, { egress });
    const first = await run(flow, recorded, { yieldAt: recorded.clock.monotonic() + 1 });
    if (first.status !== 'yielded') throw new Error(JSON.stringify(first));
    const snapshot = JSON.parse(JSON.stringify(first.snapshot));
    expect(await run(flow, recorded, { snapshot })).toMatchObject({ error: { code: 'http.404' } });
    const begun = recorded.entries.filter(({ event }) => event === 'started').map(({ node_id }) => node_id);
    expect(begun).toEqual(['fan', 'a1', 'b1', 'c1', 'a2']);
  });

  test('tries again only what failed', async () => {
    const tried: string[] = [];
    const recorded = scripted({
      http: ({ url }) => {
        tried.push(url.slice(-1));
        return httpAnswer(url.endsWith('b') && tried.length < 4 ? 503 : 200);
      },
    });
    const retry = { max_attempts: 3, delay_ms: 10, on: ['http.503'] };
    const branches = { a: branch('a1', http('a')), b: branch('b1', http('b')) };
    const running = run(
      checkedFlow({ fan: fan(branches, { retry, next: 'done' }), done }, { egress }),
      recorded,
    );
    for (let attempt = 1; attempt < 3; attempt++) {
      await quiet();
      recorded.clock.pass(20);
    }
    expect((await running).status).toBe('completed');
    expect(tried).toEqual(['a', 'b', 'b', 'b']);
  });
});

describe('join first', () => {
  test('the first success wins, and the others are stopped', async () => {
    const calls: NodeCall[] = [];
    const { outcome } = await joined(
      { slow: branch('a1', http('slow')), bad: branch('b1', http('404')), quick: branch('c1', http('200')) },
      { join: 'first' },
      {
        http: (request, call) => {
          calls.push(call);
          return call.nodeId === 'a1' ? never() : httpAnswer(Number(request.url.slice(-3)));
        },
      },
    );
    expect(outcome).toMatchObject({ response: { fan: { branch: 'quick', output: { status: 200 } } } });
    expect(calls.find(({ nodeId }) => nodeId === 'a1')?.signal.aborted).toBe(true);
  });

  test('fails when no branch succeeds', async () => {
    const { outcome } = await joined(
      { a: branch('a1', http('404')), b: branch('b1', http('500')) },
      { join: 'first' },
    );
    expect(outcome).toMatchObject({
      error: {
        code: 'parallel.all_failed',
        node_id: 'a1',
        message: expect.stringContaining('Branch "a": GET'),
      },
    });
  });
});

test('join settled gives each branch with its output or its error', async () => {
  const { outcome } = await joined(
    { a: branch('a1', http('404')), b: branch('b1', { type: 'transform', output: 1 }) },
    { join: 'settled' },
  );
  expect(outcome).toMatchObject({
    response: {
      fan: { a: { status: 'failed', error: { code: 'http.404' } }, b: { status: 'completed', output: 1 } },
    },
  });
});

describe('what ends all', () => {
  test('a limit that a branch passes ends the run, although the container catches everything', async () => {
    const { outcome } = await runNodes(
      {
        fan: fan(
          { a: branch('a1', { type: 'llm', prompt: 'x', next: 'a1' }), b: branch('b1', http('wait')) },
          { join: 'settled', catch: [{ on: ['*'], next: 'done' }], next: 'done' },
        ),
        done,
      },
      { http: () => never() },
      { flow: { egress, limits: { max_model_calls: 3 } } },
    );
    expect(outcome).toMatchObject({ error: { code: 'limit.model_calls', node_id: 'a1' } });
  });

  test('the time limit of the container ends all branches, and can be caught', async () => {
    const calls: NodeCall[] = [];
    const recorded = scripted({
      http: (_request, call) => {
        calls.push(call);
        return never();
      },
    });
    const nodes = {
      fan: fan(
        { a: branch('a1', http('a')), b: branch('b1', http('b')) },
        { timeout_seconds: 5, catch: [{ on: ['timeout'], next: 'done' }], next: 'done' },
      ),
      done,
    };
    const running = run(checkedFlow(nodes, { egress }), recorded);
    await quiet();
    recorded.clock.pass(5_000);
    expect(await running).toMatchObject({ response: { fan: { error: { code: 'timeout' } } } });
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(recorded.clock.sleeping()).toEqual([]);
  });

  test('a canceled run stops every branch and sends nothing afterwards', async () => {
    const controller = new AbortController();
    const recorded = scripted({ http: () => never() });
    const flow = checkedFlow(
      { fan: fan({ a: branch('a1', http('a')), b: branch('b1', http('b')) }) },
      { egress },
    );
    const running = run(flow, recorded, { signal: controller.signal });
    await quiet();
    controller.abort();
    expect(await running).toEqual({
      status: 'failed',
      error: { code: 'canceled', message: 'The run was canceled.' },
    });
    const said = recorded.entries.length;
    await quiet();
    expect(recorded.entries).toHaveLength(said);
    expect(recorded.clock.sleeping()).toEqual([]);
  });

  test('a snapshot that cannot be kept rejects the run from inside a branch', async () => {
    const lost = new NodeError('lost', 'Another runner has the lease.');
    const nodes = {
      fan: fan(
        { a: branch('a1', { type: 'transform', output: 1 }) },
        { catch: [{ on: ['*'], next: 'done' }], next: 'done' },
      ),
      done,
    };
    await expect(run(checkedFlow(nodes), scripted({ checkpoint: () => Promise.reject(lost) }))).rejects.toBe(
      lost,
    );
  });
});
