// The node type `wait` for an event: the engine is given what was sent for its open waits.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import { findAwaitedEvents } from '#lib/flow/engine/snapshot.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import type { Json } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { checkedFlow, run, scripted, startedAt } from '../scripted.ts';

const paid = { type: 'wait', event: 'payment.completed', key: '{{ input.message }}' };
const done = { type: 'end', output: { got: '{{ nodes.w }}' } };
const waiting = (fields: object = {}, others: object = {}) =>
  checkedFlow({ w: { ...paid, next: 'done', ...fields }, done, ...others });
const input = { message: '1042', user_variables: {} };
const at = (ms: number) => new Date(startedAt + 1_000 + ms).toISOString();

const pausedOf = (outcome: Outcome) => {
  if (outcome.status !== 'waiting') throw new Error(`It is ${outcome.status}.`);
  const { snapshot } = outcome;
  return { snapshot, awaited: findAwaitedEvents(snapshot), until: outcome.until };
};
const sent = (id: string, data: Json, ref = `${at(0)}#one`) => ({
  id,
  ref,
  value: { event: 'payment.completed', key: '1042', id: 'evt_1', data, received_at: at(0) },
});

describe('a wait for an event', () => {
  test('pauses the run, says what it awaits, and continues with the event', async () => {
    const flow = waiting();
    const { snapshot, awaited, until } = pausedOf(await run(flow, scripted(), { input }));
    expect(awaited).toEqual([
      {
        id: 'w.1',
        event: 'payment.completed',
        key: '1042',
        since: at(0),
        expires_at: at(limits.pauseSecondsMax * 1000),
      },
    ]);
    expect(until).toBe(at(limits.pauseSecondsMax * 1000));
    expect(await run(flow, scripted(), { input, snapshot })).toMatchObject({ status: 'waiting' });
    const event = sent('w.1', { amount: 5 });
    expect(await run(flow, scripted(), { input, snapshot, sentEvents: [event] })).toMatchObject({
      status: 'completed',
      response: { got: event.value },
    });
  });

  test.each([
    ['without on_timeout it fails', {}, { status: 'failed', error: { code: 'wait.timeout', node_id: 'w' } }],
    [
      'an error that can be caught',
      { catch: [{ on: ['wait.timeout'], next: 'late' }] },
      { response: { late: true } },
    ],
    ['with on_timeout it goes there', { on_timeout: 'late' }, { response: { late: true } }],
  ])('that is not sent in time: %s', async (_name, fields, expected) => {
    const late = { type: 'end', output: { late: true } };
    const reached = 'catch' in fields || 'on_timeout' in fields ? { late } : {};
    const flow = waiting({ timeout_seconds: 60, ...fields }, reached);
    const { snapshot, until } = pausedOf(await run(flow, scripted(), { input }));
    expect(until).toBe(at(60_000));
    const later = scripted();
    later.clock.pass(60_000);
    expect(await run(flow, later, { input, snapshot })).toMatchObject(expected);
  });

  test('an event wins over a time that has come, as it was sent before', async () => {
    const flow = waiting({ timeout_seconds: 60 });
    const { snapshot } = pausedOf(await run(flow, scripted(), { input }));
    const later = scripted();
    later.clock.pass(60_000);
    expect(await run(flow, later, { input, snapshot, sentEvents: [sent('w.1', {})] })).toMatchObject({
      status: 'completed',
    });
  });

  test('data that does not match its schema fails the node, which can be caught', async () => {
    const schema = { type: 'object', required: ['amount'] };
    const flow = waiting({ schema, catch: [{ on: ['wait.invalid_data'], next: 'done' }] });
    const { snapshot } = pausedOf(await run(flow, scripted(), { input }));
    const outcome = await run(flow, scripted(), { input, snapshot, sentEvents: [sent('w.1', {})] });
    expect(outcome).toMatchObject({
      response: { got: { error: { code: 'wait.invalid_data', message: expect.stringContaining('amount') } } },
    });
  });

  test.each([
    ['nothing', ''],
    ['too much', 'x'.repeat(limits.eventKeyChars + 1)],
    ['a line break', 'a\nb'],
  ])('a key of %s fails', async (_name, message) => {
    expect(await run(waiting(), scripted(), { input: { ...input, message } })).toMatchObject({
      error: { code: 'wait.bad_key' },
    });
  });

  test('a number is the same key as its text', async () => {
    const { awaited } = pausedOf(await run(waiting({ key: '{{ 21 * 2 }}' }), scripted(), { input }));
    expect(awaited).toMatchObject([{ key: '42' }]);
  });

  test('no wait that begins later receives the event again', async () => {
    const flow = waiting({ next: 'again' }, { again: { ...paid, next: 'done' } });
    const first = pausedOf(await run(flow, scripted(), { input }));
    const event = sent('w.1', {});
    const second = pausedOf(
      await run(flow, scripted(), { input, snapshot: first.snapshot, sentEvents: [event] }),
    );
    expect(second.awaited).toMatchObject([{ id: 'again.1', received: 1 }]);
    expect(second.snapshot.received).toEqual({ count: 1, recent: { [event.ref]: 1 } });
  });

  test('all branches that wait for it receive it, and a branch that sleeps does not delay it', async () => {
    const branch = { start: 'x', nodes: { x: { ...paid } } };
    const other = { start: 'y', nodes: { y: { ...paid } } };
    const nap = { start: 'nap', nodes: { nap: { type: 'wait', seconds: 3_600 } } };
    const flow = checkedFlow({
      fan: { type: 'parallel', branches: { branch, other, nap }, next: 'done' },
      done: { type: 'end', output: { a: '{{ nodes.fan.branch.id }}', b: '{{ nodes.fan.other.id }}' } },
    });
    const options = { input, patienceMs: Number.POSITIVE_INFINITY };
    const { snapshot, awaited, until } = pausedOf(await run(flow, scripted(), options));
    expect(until).toBe(at(3_600_000));
    expect(awaited.map(({ id }) => id)).toEqual(['fan.1.branch.x.1', 'fan.1.other.y.1']);
    const later = scripted();
    later.clock.pass(3_600_000);
    const sentEvents = awaited.map(({ id }) => sent(id, {}));
    expect(await run(flow, later, { input, snapshot, sentEvents })).toMatchObject({
      response: { a: 'evt_1', b: 'evt_1' },
    });
  });

  test('a run with too many open waits ends', async () => {
    const body = { start: 'w', nodes: { w: { ...paid, key: '{{ item }}' } } };
    const items = Array.from({ length: limits.awaitedEventsMax + 1 }, (_, n) => `order-${n}`);
    const flow = checkedFlow({
      a: {
        type: 'parallel',
        branches: {
          one: {
            start: 'm',
            nodes: { m: { type: 'map', items: items.slice(1), max_concurrency: 50, body } },
          },
          two: { start: 'v', nodes: { v: { ...paid, key: 'order-0' } } },
        },
      },
    });
    expect(await run(flow, scripted(), { input })).toMatchObject({ error: { code: 'limit.events' } });
  });
});

describe('a test of a flow', () => {
  const flowWith = (tests: Json) =>
    checkedFlow(
      {
        w: { ...paid, on_timeout: 'late', next: 'done' },
        done,
        late: { type: 'end', output: { late: true } },
      },
      { tests },
    );
  const results = async (tests: Json) =>
    (await testFlow(flowWith(tests), { clock, timeoutMs: 5_000 })).tests.map(
      ({ passed, error }) => error ?? passed,
    );

  test('sends the first event of the name and the key, and lets the time run out without one', async () => {
    const payment = { event: 'payment.completed', data: { amount: 5 } };
    const ask = (events: Json, expectation: string) => ({
      input: { message: '1042' },
      events,
      expect: expectation,
    });
    expect(
      await results([
        ask([payment], '{{ response.got.data.amount = 5 and response.got.key = "1042" }}'),
        ask(
          [
            { ...payment, key: 'other' },
            { ...payment, key: 1042, data: 7 },
          ],
          '{{ response.got.data = 7 }}',
        ),
        ask([{ ...payment, key: 'other' }], '{{ response.late }}'),
        ask([{ event: 'payment.refused' }], '{{ response.late }}'),
      ]),
    ).toEqual([true, true, true, true]);
  });

  test('may mock it, with data that fits its schema', () => {
    const nodes = { w: { ...paid, schema: { type: 'object' }, next: 'done' }, done };
    const tests = [{ input: {}, mocks: { w: { data: 5 } }, expect: '{{ true }}' }];
    const checked = checkFlow({ version: 1, name: 'Test', start: 'w', nodes, tests });
    expect(checked).toMatchObject({ ok: false, errors: [{ pointer: '/tests/0/mocks/w/data' }] });
  });
});

test('expressions see which members an event has', () => {
  const nodes = { w: { ...paid, next: 'done' }, done: { type: 'end', output: { got: '{{ nodes.w.dta }}' } } };
  const checked = checkFlow({ version: 1, name: 'Test', start: 'w', nodes });
  expect(JSON.stringify(checked)).toContain('dta');
});
