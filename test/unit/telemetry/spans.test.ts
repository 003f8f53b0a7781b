// The projection of logs that no short run over HTTP has: loops, scopes, pauses, forks, and runs of earlier versions.
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Usage } from '#lib/model/usage.ts';
import { viewRun } from '#lib/run/state.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { toExportRequests } from '#lib/telemetry/otlp.ts';
import { buildSpans, type Span } from '#lib/telemetry/spans.ts';
import { attemptSpanId, computeSpanId } from '#lib/trace-context.ts';
import { run } from '#test/support/stored-run.ts';

const begin = Date.parse('2026-11-21T09:00:00.000Z');
const at = (second: number) => new Date(begin + second * 1_000).toISOString();

type Entry = Partial<LogEntry> & { readonly event: LogEntry['event']; readonly second: number };

function spansOf(entries: readonly Entry[], some: Partial<StoredRun> = {}, usage: readonly Usage[] = []) {
  const logs = entries.map(({ second, ...entry }, n) => ({
    seq: n + 1,
    time: at(second),
    level: 'info',
    message: '',
    status: entry.event === 'completed' || entry.event === 'reused' ? 'completed' : 'running',
    ...entry,
  }));
  const stored = run({ status: 'completed', ended_at: at(60), generation: 1, ...some });
  const event = { generation: 1, at: at(60), status: stored.status };
  const view = viewRun(stored, [{ ...event, logs: JSON.stringify(logs), usage: JSON.stringify(usage) }]);
  return { stored, spans: buildSpans(view) };
}

const node = (event: LogEntry['event'], second: number, node_id: string, some: Partial<LogEntry> = {}) => ({
  event,
  second,
  node_id,
  node_type: 'transform',
  ...some,
});
const find = (spans: readonly Span[], execution: string) =>
  spans.find(({ attributes }) => attributes.execution === execution);

describe('executions', () => {
  test('of a loop have one span each', () => {
    const { spans, stored } = spansOf([
      node('started', 1, 'a'),
      node('completed', 2, 'a'),
      node('started', 3, 'a'),
      node('completed', 5, 'a'),
    ]);
    expect(
      spans.slice(1).map(({ spanId, startMs, endMs }) => [spanId, startMs - begin, endMs - begin]),
    ).toEqual([
      [computeSpanId(stored.run_id, 'a.1'), 1_000, 2_000],
      [computeSpanId(stored.run_id, 'a.2'), 3_000, 5_000],
    ]);
  });

  test('in scopes are inside of the execution that has opened the scope, however deep', () => {
    const { spans } = spansOf([
      node('started', 1, 'each', { node_type: 'map' }),
      node('started', 2, 'inner', { node_type: 'parallel', scope: 'each.1.0' }),
      node('started', 3, 'leaf', { scope: 'each.1.0.inner.1.left' }),
      node('started', 4, 'each10', {}),
      node('started', 5, 'leaf', { scope: 'each10.1.0' }),
    ]);
    const idOf = (execution: string) => find(spans, execution)?.spanId;
    expect(find(spans, 'each.1')?.parentId).toBe(spans[0]?.spanId);
    expect(find(spans, 'each.1.0.inner.1')?.parentId).toBe(idOf('each.1'));
    expect(find(spans, 'each.1.0.inner.1.left.leaf.1')?.parentId).toBe(idOf('each.1.0.inner.1'));
    expect(find(spans, 'each10.1.0.leaf.1')?.parentId).toBe(idOf('each10.1'));
  });

  test('whose scope has no execution in the log are inside of the run', () => {
    const { spans } = spansOf([node('started', 1, 'leaf', { scope: 'gone.1.0' })]);
    expect(spans[1]?.parentId).toBe(spans[0]?.spanId);
  });

  test('that a fork has reused have no attempts, and say so', () => {
    const { spans } = spansOf([node('reused', 1, 'get', { node_type: 'http' })]);
    expect(spans).toHaveLength(2);
    expect(spans[1]?.attributes).toMatchObject({ isReused: true, status: 'completed' });
  });

  test.each(['failed', 'canceled'] as const)(
    'that had not ended when the run was %s end with it',
    (status) => {
      const { spans } = spansOf([node('started', 1, 'a')], { status });
      expect(spans[1]).toMatchObject({ endMs: begin + 60_000, attributes: { status } });
    },
  );

  test('that were caught have failed, with their code', () => {
    const message = 'http.503: The host answered 503: tea';
    const { spans } = spansOf([
      node('started', 1, 'a'),
      node('caught', 2, 'a', { status: 'failed', level: 'warn', message }),
    ]);
    expect(spans[1]?.error).toEqual({ code: 'http.503', message });
    expect(spans[0]?.error).toBeUndefined();
  });
});

test('the next attempt begins after the delay, and what a model was asked again for is no attempt', () => {
  const model = { node_type: 'llm' };
  const { spans, stored } = spansOf([
    node('started', 1, 'ask', model),
    node('retry', 2, 'ask', {
      ...model,
      attempt: 1,
      message: 'model.error: Busy. The fallback model is tried.',
    }),
    node('retry', 3, 'ask', { ...model, attempt: 1, delay_ms: 500, message: 'model.error: Busy.' }),
    node('completed', 6, 'ask', model),
  ]);
  const attempts = spans.filter(({ attributes }) => attributes.attempt !== undefined);
  expect(
    attempts.map(({ spanId, startMs, endMs, error }) => [
      spanId,
      startMs - begin,
      endMs - begin,
      error?.code,
    ]),
  ).toEqual([
    [attemptSpanId(stored.run_id, { key: 'ask.1', attempt: 1 }), 1_000, 3_000, 'model.error'],
    [attemptSpanId(stored.run_id, { key: 'ask.1', attempt: 2 }), 3_500, 6_000, undefined],
  ]);
});

describe('calls of models', () => {
  const entries = [
    node('started', 1, 'ask', { node_type: 'llm' }),
    node('completed', 9, 'ask', { node_type: 'llm' }),
  ];
  const usage = { model: 'bedrock/nova', input: 10, output: 5, execution: 'ask.1' };

  test('have their times, tokens, cost and attempt', () => {
    const used = { ...usage, cached: 4, cost: 0.25, at: begin + 2_000, ms: 750 };
    const { spans, stored } = spansOf(entries, {}, [used]);
    expect(spans.at(-1)).toMatchObject({
      name: 'chat nova',
      parentId: attemptSpanId(stored.run_id, { key: 'ask.1', attempt: 1 }),
      startMs: begin + 2_000,
      endMs: begin + 2_750,
      attributes: { provider: 'aws.bedrock', inputTokens: 10, outputTokens: 5, cacheRead: 4, cost: 0.25 },
    });
    expect(spans[0]?.attributes).toMatchObject({ runInputTokens: 10, runOutputTokens: 5, runCost: 0.25 });
  });

  test('of a run of an earlier version take as long as their node', () => {
    const { spans } = spansOf(entries, {}, [usage]);
    expect(spans.at(-1)).toMatchObject({ startMs: begin + 1_000, endMs: begin + 9_000 });
    expect(spans[0]?.attributes).not.toHaveProperty('runCost', expect.anything());
  });
});

describe('requests', () => {
  const long = Array.from({ length: 250 }, (_, n) => [
    node('started', 1, `n${n}`),
    node('completed', 2, `n${n}`),
  ]).flat();

  test('of a second projection are the same', () => {
    const [one, two] = [spansOf(long), spansOf(long)];
    expect(toExportRequests(one.stored, one.spans, false)).toEqual(
      toExportRequests(two.stored, two.spans, false),
    );
  });

  test('of a large run are several, and have each span once', () => {
    const { stored, spans } = spansOf(long);
    const large = spans.map((span) => ({
      ...span,
      attributes: { ...span.attributes, input: 'x'.repeat(20_000) },
    }));
    const requests = toExportRequests(stored, large, true);
    expect(requests.length).toBeGreaterThan(4);
    for (const request of requests) expect(JSON.stringify(request).length).toBeLessThan(1_100_000);
    const ids = requests
      .flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
      )
      .map(({ spanId }) => spanId);
    expect(ids).toEqual(spans.map(({ spanId }) => spanId));
  });
});
