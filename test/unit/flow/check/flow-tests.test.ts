// Mistakes in the tests of a flow are reported when it is registered, each with its path.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { expectationNames } from '#lib/flow/definition/flow-test.ts';
import type { JsonObject } from '#lib/json/json.ts';

test.each([
  ['a switch', { mocks: { which: 'done' } }, '/tests/0/mocks/which', 'type switch cannot be mocked'],
  ['an end', { mocks: { done: {} } }, '/tests/0/mocks/done', 'type end cannot be mocked'],
  ['a node that is none', { mocks: { gone: 1 } }, '/tests/0/mocks/gone', 'the flow has no node "gone"'],
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
    plan: { type: 'agent', instructions: 'x', output_schema: schema, next: 'sure' },
    sure: { type: 'ask', prompt: '?', choices: ['y', 'n'], next: 'many' },
    many: { type: 'ask', prompt: '?', schema: { type: 'integer' }, next: 'which' },
    which: { type: 'ask', prompt: '?', choices: ['{{ nodes.many }}', 'none'], next: 'talk' },
    talk: {
      type: 'agent',
      instructions: 'x',
      capture: { order: { description: 'x', schema: { type: 'integer' } } },
      next: 'call',
    },
    call: { type: 'http', url: 'https://api.shop.example/', next: 'each' },
    each: {
      type: 'map',
      items: [1],
      body: { start: 'one', nodes: { one: { type: 'llm', prompt: 'x', output_schema: schema } } },
    },
  };
  const mistakesOf = (mocks: JsonObject) =>
    checkFlow({
      ...{ version: 1, name: 'Test', start: 'sort', nodes, egress: ['api.shop.example'] },
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
    ['mocks an answer that is no choice', { sure: 'maybe' }, '/sure', 'expected one of "y","n"'],
    [
      'mocks an answer that its schema refuses',
      { many: { in_order: [1, 'x'] } },
      '/many/in_order/1',
      'a schema',
    ],
    ['captures what does not fit', { talk: { captured: { order: 'x' } } }, '/talk/captured/order', 'integer'],
    [
      'captures what is not declared',
      { talk: { captured: { odrer: 7 } } },
      '/talk/captured/odrer',
      'expected order',
    ],
    [
      'captures where nothing is',
      { plan: { data: { kind: 'other' }, captured: { a: 1 } } },
      '/plan/captured/a',
      'no `capture`',
    ],
    ['fails with a text', { call: { error: 'http.404' } }, '/call/error', '{error: {code, message?}}'],
    ['fails with a code that is none', { call: { error: { code: 5 } } }, '/call/error/code', 'must be text'],
    ['fails without a code', { call: { error: {} } }, '/call/error/code', 'is required'],
    [
      'fails with more than errors have',
      { call: { in_order: [1, { error: { code: 'http.404', status: 404 } }] } },
      '/call/in_order/1/error/status',
      'expected one of code, message',
    ],
    ['mocks in order what is no list', { call: { in_order: 'x' } }, '/call/in_order', 'expected a list'],
    ['mocks by item what is no list', { one: { by_item: {} } }, '/one/by_item', 'expected a list'],
    ['has items in order', { one: { in_order: [{ by_item: [1] }] } }, '/one/in_order/0/by_item', 'around'],
    [
      'has an order in an order',
      { call: { in_order: [{ in_order: [1] }] } },
      '/call/in_order/0/in_order',
      'an output or an error',
    ],
    [
      'mocks in an order of items what its model could not give',
      { one: { by_item: [{ in_order: [{ kind: 'order' }, { kind: 2 }] }] } },
      '/one/by_item/0/in_order/1/kind',
      'expected one of',
    ],
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
      one: { by_item: [failing, { in_order: [failing, { kind: 'order' }] }] },
      sure: 'y',
      many: { in_order: [1, { error: { code: 'ask.timeout' } }] },
      which: 'known when it is asked',
      talk: { captured: { order: 7 } },
      call: { error: 'of a body', status: 200 },
    };
    expect(mistakesOf(mocks)).toMatchObject({ ok: true });
  });
});

test('an invalid schema is reported once, and not again at the mocks of its node', () => {
  const wrong = { type: { type: 'string' } };
  const checked = checkFlow({
    version: 1,
    name: 'Test',
    start: 'plan',
    nodes: { plan: { type: 'agent', instructions: 'x', output_schema: wrong } },
    tests: [{ input: {}, mocks: { plan: { data: 'x' } }, expect: 'true' }],
  });
  expect(checked).toMatchObject({ errors: [{ pointer: '/nodes/plan/output_schema/type' }] });
});

describe('an expectation', () => {
  const one = { type: 'transform', output: 1 };
  const head = {
    ...{ version: 1, name: 'Test', start: 'each', state: { seen: 0 } },
    nodes: {
      each: { type: 'map', items: [1], body: { start: 'one', nodes: { one } }, next: 'done' },
      done: { type: 'end', output: { a: '{{ state.seen }}' } },
    },
  };
  const checked = (expectation: string) =>
    checkFlow({ ...head, tests: [{ input: {}, expect: expectation }] });

  test.each<[string, string, string]>([
    [
      'a name',
      '{{ $not($exists(eror)) }}',
      'unknown name "eror": did you mean "error"? Expected status, response, error,',
    ],
    [
      'a name, without braces',
      '$count(artefacts) = 0',
      'unknown name "artefacts": did you mean "artifacts"? Expected status',
    ],
    ['a name alone', '{{ succes }}', 'unknown name "succes": expected status'],
    ['a node', '{{ $not($exists(nodes.nope)) }}', 'unknown node "nope" in nodes.nope'],
    ['a function', '{{ $foo(1) = 1 }}', 'unknown name "$foo": expected a function of JSONata'],
    [
      'a part of the error',
      '{{ error.cod = "x" }}',
      'unknown name "error.cod": did you mean "error.code"? Expected error.code',
    ],
    ['a part of the input', '{{ input.mesage = "x" }}', 'unknown name "input.mesage"'],
    ['an end', '{{ status = }}', 'status = }}'],
    ['a brace', '{{ status = "}}', 'expected "}}" after "{{"'],
  ])('that mistakes %s is a mistake', (_what, expectation, detail) => {
    expect(checked(expectation)).toMatchObject({
      errors: [{ pointer: '/tests/0/expect', detail: expect.stringContaining(detail) }],
    });
  });

  test('of a variable that never has a value is worth a look', () => {
    expect(checked('{{ $not($exists(state.sen)) }}')).toMatchObject({
      warnings: [{ pointer: '/tests/0/expect', code: 'state_without_value' }],
    });
  });

  test('may name whatever there is, also nodes inside others', () => {
    const sees = expectationNames.map((name) => `$exists(${name})`).join(' and ');
    const more =
      'nodes.one = 1 and state.seen = 0 and replies[text = "x"].node_id = "say" and $$.as = "task"';
    expect(checked(`{{ ${sees} and ${more} and ($x := path; "one" in $x) }}`)).toMatchObject({
      ok: true,
      warnings: [],
    });
  });
});
