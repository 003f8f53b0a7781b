// Mistakes in the tests that a flow brings along are told when it is registered, each where it is.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check.ts';
import type { JsonObject } from '#lib/json.ts';

test.each([
  ['a switch', { mocks: { which: 'done' } }, '/tests/0/mocks/which', 'type switch cannot be mocked'],
  ['an end', { mocks: { done: {} } }, '/tests/0/mocks/done', 'type end cannot be mocked'],
  ['a node that is none', { mocks: { gone: 1 } }, '/tests/0/mocks/gone', '"gone" is none'],
])('a flow is refused whose test mocks %s', (_what, wrong, pointer, detail) => {
  const checked = checkFlow({
    version: 1,
    name: 'Test',
    start: 'which',
    nodes: {
      which: { type: 'switch', cases: [{ when: '{{ true }}', next: 'done' }], default: 'done' },
      done: { type: 'end', output: {} },
    },
    tests: [{ input: {}, expect: 'true', ...wrong }],
  });
  expect(checked).toMatchObject({ errors: [{ pointer, detail: expect.stringContaining(detail) }] });
});

describe('a flow is refused whose test', () => {
  const schema = {
    type: 'object',
    properties: { kind: { enum: ['order', 'other'] }, id: { type: 'string', pattern: '^[0-9]+$' } },
    required: ['kind'],
  };
  const nodes = {
    sort: { type: 'llm', prompt: 'x', output_schema: schema, next: 'plan' },
    plan: { type: 'agent', instructions: 'x', output_schema: schema, next: 'each' },
    each: {
      type: 'map',
      items: [1],
      body: { start: 'one', nodes: { one: { type: 'llm', prompt: 'x', output_schema: schema } } },
    },
  };
  const mistakesOf = (mocks: JsonObject) =>
    checkFlow({
      ...{ version: 1, name: 'Test', start: 'sort', nodes },
      tests: [{ input: {}, mocks, expect: 'true' }],
    });

  test.each<[string, JsonObject, string, string]>([
    [
      'mocks a field as its model could not',
      { sort: { kind: 'ordr' } },
      '/sort/kind',
      'expected one of "order"',
    ],
    [
      'mocks a text that does not match',
      { sort: { kind: 'order', id: 'x' } },
      '/sort/id',
      'matches ^[0-9]+$',
    ],
    ['forgets a field', { sort: {} }, '/sort', 'expected the property "kind"'],
    ['mocks an agent without what it gives', { plan: { kind: 'order' } }, '/plan', 'the property "data"'],
    ['mocks what an agent gives', { plan: { data: { kind: 1 } } }, '/plan/data/kind', 'expected one of'],
    [
      'mocks an item as its model could not',
      { one: { by_item: [{ kind: 'order' }, { kind: 2 }] } },
      '/one/by_item/1/kind',
      'expected one of',
    ],
    [
      'mocks by item what has none',
      { sort: { by_item: [{ kind: 'order' }] } },
      '/sort/by_item',
      'inside a `map`',
    ],
    ['mocks nothing in order', { sort: { in_order: [] } }, '/sort/in_order', 'at least one'],
  ])('%s', (_what, mocks, pointer, detail) => {
    expect(mistakesOf(mocks)).toMatchObject({
      errors: [{ pointer: `/tests/0/mocks${pointer}`, detail: expect.stringContaining(detail) }],
    });
  });

  test('and not one whose mocks fit, or fail', () => {
    const failing = { error: { code: 'model.refused' } };
    const mocks = {
      sort: { in_order: [failing, { kind: 'order', id: '7' }] },
      plan: { data: { kind: 'other' } },
      one: { by_item: [failing, { kind: 'order' }] },
    };
    expect(mistakesOf(mocks)).toMatchObject({ ok: true });
  });
});
