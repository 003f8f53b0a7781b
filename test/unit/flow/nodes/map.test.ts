// The node type `map`: order, concurrency, errors of items, and its bounds.
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { checkedFlow, httpAnswer, quiet, run, runNodes, type Script, scripted } from '../scripted.ts';

const egress = ['api.example.com'];
const request = { type: 'http', method: 'POST', url: 'https://api.example.com/{{ item }}' };
const body = (node: object) => ({ start: 'one', nodes: { one: node } });
const done = { type: 'end', output: { each: '{{ nodes.each }}' } };

const mapped = async (items: unknown, more: object = {}, script: Script = {}, flow: object = {}) =>
  await runNodes({ each: { type: 'map', items, body: body(request), next: 'done', ...more }, done }, script, {
    flow: { egress, ...flow },
  });

/** 404 for the items that are bad. */
const picky: Script = { http: ({ url }) => httpAnswer(url.includes('bad') ? 404 : 200, url.slice(24)) };

const bodies = '{{ [nodes.each.($exists(error) ? error.code : body)] }}';
const shown = { type: 'end', output: { each: bodies } };

test('gives the outputs in the order of the items, whichever is ready first', async () => {
  const open: (() => void)[] = [];
  const { outcome } = await mapped(
    [0, 1, 2],
    {},
    {
      http: ({ url }) =>
        new Promise((resolve) => {
          open.unshift(() => resolve(httpAnswer(200, url.slice(-1))));
          if (open.length === 3) for (const answer of open) answer();
        }),
    },
  );
  expect(outcome).toMatchObject({ response: { each: [{ body: '0' }, { body: '1' }, { body: '2' }] } });
});

test('its body sees the item and its index, and an inner map has its own', async () => {
  const inner = {
    type: 'map',
    items: '{{ item }}',
    body: { start: 'two', nodes: { two: { type: 'transform', output: '{{ item & "@" & index }}' } } },
  };
  const { outcome } = await mapped(
    '{{ state.rows }}',
    { body: body(inner) },
    {},
    { state: { rows: [['a', 'b'], [], ['c']] } },
  );
  expect(outcome).toMatchObject({ response: { each: [['a@0', 'b@1'], [], ['c@0']] } });
});

test.each([
  [{}, limits.concurrencyDefault],
  [{ max_concurrency: 3 }, 3],
  [{ max_concurrency: 1 }, 1],
])('with %j at most %d items run at once', async (more, most) => {
  let [now, seen] = [0, 0];
  const { outcome } = await mapped(
    Array.from({ length: 20 }, (_, n) => n),
    more,
    {
      http: async () => {
        seen = Math.max(seen, ++now);
        await quiet();
        now--;
        return httpAnswer(200);
      },
    },
  );
  expect(outcome.status).toBe('completed');
  expect(seen).toBe(most);
});

test('each item has an idempotency key of its own, the same in every run', async () => {
  const keys = async () =>
    (await mapped(['a', 'b'])).requests.map(({ headers }) => headers['idempotency-key']);
  expect(await keys()).toEqual(['run-1.each.1.0.one.1', 'run-1.each.1.1.one.1']);
  expect(await keys()).toEqual(await keys());
});

describe('an item that fails', () => {
  const with_ = async (onError: string) =>
    await runNodes(
      {
        each: {
          type: 'map',
          items: ['a', 'bad', 'b', 'bad2'],
          body: body(request),
          on_error: onError,
          next: 'done',
        },
        done: shown,
      },
      picky,
      { flow: { egress } },
    );

  test('fails the map, with the first in order', async () => {
    expect((await with_('fail')).outcome).toMatchObject({
      error: { code: 'http.404', node_id: 'one', message: 'Item 1: POST api.example.com answered 404.' },
    });
  });

  test('is collected with the same message, however long, also when the run has stood still since', async () => {
    const nodes = {
      way: {
        type: 'switch',
        cases: [{ when: '{{ item = "bad" }}', next: 'wrong' }],
        default: 'ask',
      },
      wrong: { type: 'fail', message: '{{ $pad("", 3000, "漢") }}' },
      ask: { type: 'ask', prompt: 'Go on?' },
    };
    const each = { type: 'map', items: ['bad', 'good'], body: { start: 'way', nodes }, on_error: 'collect' };
    const flow = checkedFlow({ each: { ...each, next: 'done' }, done });
    const standing = await run(flow, scripted());
    if (standing.status !== 'input_required') throw new Error(`The run is ${standing.status}.`);
    const options = { snapshot: JSON.parse(JSON.stringify(standing.snapshot)), answer: { value: 'yes' } };
    const resumed = await run(flow, scripted(), options);
    const message = `${'漢'.repeat((limits.errorBytes - 4) / 3)}…`;
    expect(resumed).toMatchObject({ response: { each: [{ error: { code: 'fail', message } }, 'yes'] } });
  });

  test('is collected as an error in its place', async () => {
    expect((await with_('collect')).outcome).toMatchObject({
      response: { each: ['a', 'http.404', 'b', 'http.404'] },
    });
  });

  test('is skipped', async () => {
    expect((await with_('skip')).outcome).toMatchObject({ response: { each: ['a', 'b'] } });
  });
});

describe('bounds', () => {
  test.each([
    ['{{ state.nothing }}', 'map.not_list', 'nothing'],
    ['{{ "x" }}', 'map.not_list', 'string'],
  ])('items %s fail with %s', async (items, code, words) => {
    expect((await mapped(items)).outcome).toMatchObject({
      error: { code, message: expect.stringContaining(words) },
    });
  });

  test('more items than a map may have fail with map.too_many', async () => {
    const items = Array.from({ length: limits.mapItemsMax + 1 }, () => 1);
    expect((await mapped(items)).outcome).toMatchObject({
      error: { code: 'map.too_many', message: 'items: expected at most 10000, got 10001.' },
    });
  });

  test('no items give an empty list', async () => {
    expect((await mapped('{{ [] }}')).outcome).toMatchObject({ response: { each: [] } });
  });

  test('items count as steps of the run', async () => {
    const { outcome } = await mapped([1, 2, 3, 4], {}, {}, { limits: { max_steps: 4 } });
    expect(outcome).toMatchObject({ error: { code: 'limit.steps', node_id: 'one' } });
  });

  test('a thousand items with large values stay within what a run may keep', async () => {
    const text = { type: 'transform', output: 'x'.repeat(150_000) };
    const { outcome, snapshots } = await mapped(
      '{{ [1..1000] }}',
      { body: body(text) },
      {},
      { limits: { max_steps: 5000 } },
    );
    expect(outcome).toMatchObject({ error: { code: 'value.too_large' } });
    for (const snapshot of snapshots) expect(snapshot.length).toBeLessThan(limits.snapshotBytes * 1.1);
  });

  test.each([
    ['as many as may be under way', {}, limits.concurrencyDefault],
    ['one by one', { max_concurrency: 1 }, 1],
  ])(
    'of a thousand items that each ask, some stand still and the others wait: %s',
    async (_name, more, open) => {
      const question = { type: 'ask', prompt: 'Item {{ item }}?' };
      const asking = { body: body(question), ...more };
      const { outcome } = await mapped('{{ [1..1000] }}', asking, {}, { limits: { max_steps: 5000 } });
      expect(outcome).toMatchObject({ status: 'input_required' });
      expect(outcome.status === 'input_required' && outcome.requests.map(({ prompt }) => prompt)).toEqual(
        Array.from({ length: open }, (_, n) => `Item ${n + 1}?`),
      );
    },
  );

  test('an item that waits holds back the next, as one that works does', async () => {
    const steps = {
      start: 'call',
      nodes: { call: { ...request, next: 'rest' }, rest: { type: 'wait', seconds: 6 } },
    };
    const { outcome, requests } = await mapped([1, 2, 3], { body: steps, max_concurrency: 1 });
    expect(outcome).toMatchObject({ status: 'waiting' });
    expect(requests).toHaveLength(1);
  });

  test('the error of a value that is not a list explains how to make it one', async () => {
    const { outcome } = await mapped('{{ {"a": 1} }}');
    expect(outcome).toMatchObject({
      error: { code: 'map.not_list', message: expect.stringContaining('{{ [ … ] }}') },
    });
  });
});
