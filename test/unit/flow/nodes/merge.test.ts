// `merge` of `parallel` and `map`: variables of the state that their scopes set.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { driven } from '../driven.ts';
import { hash } from '../engine/structured.ts';
import { checkedFlow, httpAnswer, runNodes, type Script } from '../scripted.ts';

const egress = ['api.example.com'];
const sets = (assign: object) => ({ type: 'transform', output: 1, assign });
const body = (node: object) => ({ start: 'one', nodes: { one: node } });
const done = { type: 'end', output: { state: '{{ state }}' } };

const mapped = async (
  items: unknown,
  node: object,
  merge: object,
  state: JsonObject = {},
  more: object = {},
) => {
  const each = { type: 'map', items, body: body(node), merge, next: 'done', ...more };
  return await runNodes({ each, done }, {}, { flow: { egress, state } });
};

describe('each rule', () => {
  test.each<[string, Json, object, Json]>([
    ['append', ['before'], { x: '{{ $append(state.x, item) }}' }, ['before', 3, 1, 2]],
    ['append', null, { x: '{{ [item] }}' }, [3, 1, 2]],
    ['append', [], { x: '{{ item }}' }, [3, 1, 2]],
    ['append', [], { x: '{{ item = 1 ? [] : [[item]] }}' }, [[3], [2]]],
    ['sum', 10, { x: '{{ state.x + item }}' }, 16],
    ['sum', null, { x: '{{ item }}' }, 6],
    ['min', 2, { x: '{{ item }}' }, 1],
    ['min', null, { x: '{{ $min([state.x, item]) }}' }, 1],
    ['max', 2, { x: '{{ item }}' }, 3],
    ['max', '2026-01-01', { x: '{{ "2026-0" & item & "-01" }}' }, '2026-03-01'],
    [
      'merge',
      { a: 0, k1: 0 },
      { x: '{{ { "k" & item: index, "at": index } }}' },
      { a: 0, k1: 1, k3: 0, at: 2, k2: 2 },
    ],
    ['last', 'before', { x: '{{ item }}' }, 2],
    ['last', null, { x: '{{ item = 2 ? null : item }}' }, null],
  ])('%s merges what begins with %j and what the items set: %j', async (rule, before, assign, expected) => {
    const { outcome } = await mapped([3, 1, 2], sets(assign), { x: rule }, { x: before });
    expect(outcome).toMatchObject({ status: 'completed', response: { state: { x: expected } } });
  });

  test('begins in each scope without what was before, and leaves other variables alone', async () => {
    const node = sets({
      seen: '{{ [$exists(state.last), state.total, state.other] }}',
      total: 1,
      last: 2,
      other: 3,
    });
    const merge = { seen: 'append', total: 'sum', last: 'last' };
    const { outcome } = await mapped([1], node, merge, { seen: null, total: 5, last: 7, other: 9 });
    expect(outcome).toMatchObject({
      response: { state: { seen: [false, 0, 9], total: 6, last: 2, other: 9 } },
    });
  });

  test('leaves a variable as it is that no scope sets', async () => {
    const nothing = { x: 'sum', y: 'last', z: 'append' };
    const node = { ...sets({ x: 1, y: 1, z: 1 }), next: 'two' };
    const way = { type: 'switch', cases: [{ when: '{{ item = 1 }}', next: 'last' }], default: 'one' };
    const nodes = { way, one: { ...node, next: 'last' }, last: { type: 'transform', output: 1 } };
    const each = { type: 'map', items: [1, 1], body: { start: 'way', nodes }, merge: nothing, next: 'done' };
    const state = { x: 4, y: 'before' };
    const { outcome } = await runNodes({ each, done }, {}, { flow: { state } });
    expect(outcome).toMatchObject({ response: { state } });
  });
});

describe('branches', () => {
  const branch = (name: string, assign: object) => ({
    start: `${name}_call`,
    nodes: {
      [`${name}_call`]: { type: 'http', url: `https://api.example.com/${name}`, next: `${name}_set` },
      [`${name}_set`]: sets(assign),
    },
  });
  const branches = {
    slow: branch('slow', { names: 'slow', cost: 0.1 }),
    bad: branch('bad', { names: 'bad', cost: 0.2 }),
    fast: branch('fast', { names: 'fast', cost: 0.3 }),
  };
  const merge = { names: 'append', cost: 'sum' };
  const flow = { egress, state: { names: ['before'], cost: 0 } };
  const node = { type: 'parallel', branches, merge, next: 'done' };
  const picky: Script = { http: ({ url }) => httpAnswer(url.endsWith('bad') ? 404 : 200) };
  const later = (order: readonly string[]): Script => ({
    http: async ({ url }) => {
      for (let turn = 0; turn < 50 * (1 + order.indexOf(url.slice(24))); turn++) await undefined;
      return httpAnswer(200);
    },
  });

  test.each([[['slow', 'bad', 'fast']], [['fast', 'bad', 'slow']], [['bad', 'fast', 'slow']]])(
    'are merged in the order of the flow, if they end in the order %j',
    async (order) => {
      const { outcome } = await runNodes({ both: node, done }, later(order), { flow });
      expect(outcome).toMatchObject({
        response: { state: { names: ['before', 'slow', 'bad', 'fast'], cost: 0.1 + 0.2 + 0.3 } },
      });
    },
  );

  test('that fail add nothing', async () => {
    const { outcome } = await runNodes({ both: { ...node, join: 'settled' }, done }, picky, { flow });
    expect(outcome).toMatchObject({ response: { state: { names: ['before', 'slow', 'fast'], cost: 0.4 } } });
  });

  test('add nothing at all if the node fails: its `catch` finds the state as it was', async () => {
    const caught = { ...node, catch: [{ on: ['http.404'], next: 'done' }] };
    const { outcome } = await runNodes({ both: caught, done }, picky, { flow });
    expect(outcome).toMatchObject({ response: { state: flow.state } });
  });

  test('are not lost when the node is retried: only those that failed run again', async () => {
    const asked: string[] = [];
    const http: Script['http'] = ({ url }) => {
      asked.push(url.slice(24));
      return httpAnswer(
        asked.filter((name) => name === 'bad').length === 1 && url.endsWith('bad') ? 503 : 200,
      );
    };
    const retry = { max_attempts: 2, delay_ms: 0, on: ['http.5xx'] };
    const { outcome } = await driven(checkedFlow({ both: { ...node, retry }, done }, flow), { http });
    expect(outcome).toMatchObject({ response: { state: { names: ['before', 'slow', 'bad', 'fast'] } } });
    expect(asked.filter((name) => name === 'slow')).toHaveLength(1);
  });

  test('of which only the first is needed add what that one set', async () => {
    const { outcome } = await runNodes(
      { both: { ...node, join: 'first' }, done },
      later(['fast', 'bad', 'slow']),
      {
        flow,
      },
    );
    expect(outcome).toMatchObject({ response: { state: { names: ['before', 'fast'], cost: 0.3 } } });
  });
});

test('what inner scopes set reaches the outermost state through every `merge` on the way', async () => {
  const inner = {
    type: 'map',
    items: '{{ item }}',
    body: { start: 'two', nodes: { two: sets({ all: '{{ item }}', count: '{{ state.count + 1 }}' }) } },
    merge: { all: 'append', count: 'sum' },
  };
  const items = [['a', 'b'], [], ['c']];
  const { outcome } = await mapped(items, inner, { all: 'append', count: 'sum' }, { all: [], count: 100 });
  expect(outcome).toMatchObject({ response: { state: { all: ['a', 'b', 'c'], count: 103 } } });
});

test.each([
  ['sum', '{{ "3" }}', '"sum" of state.x expected a number, got a text'],
  ['sum', '{{ null }}', '"sum" of state.x expected a number, got null'],
  ['merge', '{{ [1] }}', '"merge" of state.x expected an object, got a list'],
  ['min', '{{ true }}', '"min" of state.x expected a number or a text, got true or false'],
  ['max', '{{ index = 0 ? 1 : "1" }}', '"max" of state.x expected numbers only, got a text'],
])('%s of %s fails the node, which can catch it', async (rule, value, words) => {
  const { outcome } = await mapped([1, 2], sets({ x: value }), { x: rule });
  expect(outcome).toMatchObject({
    error: { code: 'merge.wrong_type', node_id: 'each', message: expect.stringContaining(words) },
  });
  const catching = { catch: [{ on: ['merge.wrong_type'], next: 'done' }] };
  expect((await mapped([1, 2], sets({ x: value }), { x: rule }, {}, catching)).outcome).toMatchObject({
    status: 'completed',
  });
});

test('a merged value has the limit of every variable', async () => {
  const { outcome } = await mapped([1, 2, 3], sets({ x: '{{ $pad("", 90000, "x") }}' }), { x: 'append' });
  expect(outcome).toMatchObject({
    error: { code: 'value.too_large', message: expect.stringContaining('state.x') },
  });
});

describe('a run that is interrupted', () => {
  const answering = (turns: (url: string) => number): Script => ({
    http: async ({ url }) => {
      for (let turn = 0; turn < turns(url); turn++) await undefined;
      return httpAnswer(200);
    },
  });
  const load = { type: 'http', url: 'https://api.example.com/{{ index }}', next: 'ask' };
  const ask = {
    type: 'ask',
    prompt: 'n?',
    assign: { answers: '{{ answer }}', n: '{{ state.n + item }}' },
    next: 'more',
  };
  const more = { type: 'transform', output: 1, assign: { answers: '{{ $append(state.answers, [item]) }}' } };
  const each = {
    type: 'map',
    items: [1, 2, 3, 4],
    max_concurrency: 3,
    body: { start: 'load', nodes: { load, ask, more } },
    merge: { answers: 'append', n: 'sum' },
    next: 'done',
  };
  const flow = checkedFlow({ each, done }, { egress, state: { answers: ['before'], n: 0 } });
  const expected = {
    state: { answers: ['before', ...[1, 2, 3, 4].flatMap((n) => [`re each.1.${n - 1}.ask.1`, n])], n: 10 },
  };

  test('merges the same from every snapshot', async () => {
    const whole = await driven(
      flow,
      answering((url) => hash(url) % 7),
    );
    expect(whole.outcome).toMatchObject({ status: 'completed', response: expected });
    for (const { snapshots, clock } of whole.invocations)
      for (const snapshot of snapshots) {
        const { outcome } = await driven(
          flow,
          answering(() => 0),
          { snapshot, now: clock.now() },
        );
        expect(outcome).toEqual(whole.outcome);
      }
  });

  test('and yields after each node merges the same', async () => {
    const { outcome } = await driven(
      flow,
      answering(() => 0),
      { isHasty: true },
    );
    expect(outcome).toMatchObject({ response: expected });
  });
});

describe('the check of a flow', () => {
  const parts = (merge: object, state: object = { rows: [], total: 0 }, more: object = {}) => ({
    version: 1,
    name: 'F',
    start: 'each',
    state,
    nodes: {
      each: {
        type: 'map',
        items: [1],
        body: body(sets({ rows: '{{ [item] }}', total: '{{ item }}' })),
        merge,
        next: 'done',
        ...more,
      },
      done,
    },
  });
  const mistakesIn = (flow: object) => {
    const checked = checkFlow(flow);
    return checked.ok ? [] : checked.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  };

  test('warns of a lost assignment only where nothing merges it', () => {
    const warned = (merge: object) => {
      const checked = checkFlow(parts(merge));
      return checked.ok && checked.warnings.map(({ code, pointer }) => `${code} ${pointer}`);
    };
    expect(warned({ rows: 'append', total: 'sum' })).toEqual([]);
    expect(warned({ rows: 'append' })).toEqual(['assignment_lost /nodes/each/body/nodes/one/assign/total']);
  });

  test('warns of a value that an inner node merges and the scope around it loses', () => {
    const inner = {
      type: 'map',
      items: [1],
      body: { start: 'two', nodes: { two: sets({ n: 1 }) } },
      merge: { n: 'sum' },
    };
    const checked = checkFlow({
      ...parts({ rows: 'append' }),
      nodes: { each: { type: 'map', items: [1], body: body(inner), next: 'done' }, done },
    });
    expect(checked).toMatchObject({
      ok: true,
      warnings: [{ code: 'assignment_lost', pointer: '/nodes/each/body/nodes/one/merge/n' }],
    });
  });

  test.each([
    [
      'a variable that no node inside sets',
      parts({ row: 'append' }),
      '/nodes/each/merge/row: no node inside sets state.row: did you mean "rows"? Expected rows, total',
    ],
    ['an unknown rule', parts({ rows: 'concat' }), '/nodes/each/merge/rows: '],
    [
      'a list that begins as a number',
      parts({ rows: 'append' }, { rows: 1 }),
      '/nodes/each/merge/rows: "append" needs a list, but state.rows begins with a number',
    ],
    [
      'a sum that begins as a list',
      parts({ total: 'sum' }, { total: [] }),
      '/nodes/each/merge/total: "sum" needs a number, but state.total begins with a list',
    ],
    ['no variable', parts({}), '/nodes/each/merge: expected 1 to 50 variables'],
    ['a name that is none', parts({ 'a b': 'sum' }), '/nodes/each/merge/a b: '],
    [
      'too many variables',
      parts(Object.fromEntries(Array.from({ length: limits.mergesMax + 1 }, (_, n) => [`v${n}`, 'sum']))),
      '/nodes/each/merge: expected 1 to 50 variables',
    ],
  ])('refuses %s', (_what, flow, expected) => {
    expect(mistakesIn(flow)).toContainEqual(expect.stringContaining(expected));
  });
});
