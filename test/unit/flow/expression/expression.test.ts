// Results of expressions: the language, templates, and bare paths, which are read without the language.
import fc from 'fast-check';
import jsonata from 'jsonata';
import { describe, expect, test } from 'vitest';
import { answerScope } from '#lib/flow/expression/answer-message.ts';
import { expression } from '#lib/flow/expression/evaluate.ts';
import { template, urlTemplate } from '#lib/flow/expression/template.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Json } from '#lib/json/json.ts';
import { evaluate, startedAt, unhurried } from '../scripted.ts';

const scope = {
  input: { message: 'Where is order 1042?', user_variables: { tier: 'gold', 'first name': 'Ada' } },
  state: { tries: 2, tags: ['a', 'b'], none: null, empty: [], one: [7], yes: true },
  nodes: {
    order: {
      body: {
        lines: [
          { sku: 'x', price: 3 },
          { sku: 'y', price: 4 },
        ],
      },
    },
  },
  env: { region: 'eu' },
};

const table: readonly (readonly [string, Json, Json])[] = [
  ['text without an expression is itself', 'plain } { text', 'plain } { text'],
  ['one expression keeps a number', '{{ state.tries }}', 2],
  ['one expression keeps a list', '{{state.tags}}', ['a', 'b']],
  ['one expression keeps a list of one', '{{ state.one }}', [7]],
  ['one expression keeps an empty list', '{{ state.empty }}', []],
  ['one expression keeps null', '{{ state.none }}', null],
  ['a newline after one expression makes it text', '{{ state.tries }}\n', '2\n'],
  ['white space around one expression stays', '\n {{ state.yes }} ', '\n true '],
  ['a missing value is null', '{{ state.nothing.at.all }}', null],
  [
    'more digits than a number has',
    '{{ [$round(5, 400), $round(1e300, 10), $round(1.5e-310, 320)] }}',
    [5, 1e300, 1.5e-310],
  ],
  [
    'fewer digits than a number has',
    '{{ [$round(5, -400), $round(125, -1), $round(-2.5), $round(-0.125, 2)] }}',
    [0, 120, -2, -0.12],
  ],
  ['a huge number with an exponent', '{{ $formatNumber(1.5e300, "0.0e0") }}', '1.5e300'],
  ['a missing value in text is empty', '[{{ state.nothing }}]', '[]'],
  ['an object in text is JSON', 'tags: {{ state.tags }}', 'tags: ["a","b"]'],
  ['two expressions make text', '{{ state.tries }}{{ state.tries }}', '22'],
  ['templates work at every depth', { a: [{ b: '{{ env.region }}' }], c: 1 }, { a: [{ b: 'eu' }], c: 1 }],
  ['values of a list keep their type', ['{{ state.tries }}', 'x{{ state.tries }}', null], [2, 'x2', null]],
  ['a path over a list maps', '{{ nodes.order.body.lines.sku }}', ['x', 'y']],
  ['the full language', '{{ $sum(nodes.order.body.lines.price) & " EUR" }}', '7 EUR'],
  ['braces inside an expression', '{{ {"a": {"b": state.tries}} }}', { a: { b: 2 } }],
  ['closing braces in a text of an expression', '{{ "}}" & state.tries }}', '}}2'],
  ['opening braces as text', '{{ "{{" }}', '{{'],
  ['braces in a quoted name', '{{ input.user_variables.`first name` }}', 'Ada'],
  ['braces in a regular expression', '{{ $match("a1}}", /[0-9]\\}\\}/).match }}', '1}}'],
  ['a quote in a regular expression', `{{ $replace("it's", /'/, "") }}`, 'its'],
  ['a division is no regular expression', '{{ state.tries / 2 }} and "{{ 4/2 }}"', '1 and "2"'],
  ['a comment with braces', '{{ /* }} */ state.tries }}', 2],
  ['flags of a regular expression', '{{ $contains("ABC", /b/i) }}', true],
  ['groups of a regular expression', '{{ $match("order 1042", /order (\\d+)/).groups[0] }}', '1042'],
  ['a group that took no part', '{{ $match("b", /(a)|(b)/).groups }}', [null, 'b']],
  ['functions with a callback', '{{ $map(state.tags, $uppercase) }}', ['A', 'B']],
  [
    'partial application of a function',
    '{{ $map(state.tags, $append(?, "x")) }}',
    [
      ['a', 'x'],
      ['b', 'x'],
    ],
  ],
  [
    'distinct values in order',
    '{{ $distinct([1, "1", 1, {"a": 1, "b": 2}, {"b": 2, "a": 1}, [1], "[1]"]) }}',
    [1, '1', { a: 1, b: 2 }, [1], '[1]'],
  ],
  ['text to base64 and back', '{{ $base64decode($base64encode("Grüße, 中 🙂")) }}', 'Grüße, 中 🙂'],
  ['base64 of the bytes in UTF-8', '{{ $base64encode("中") }}', '5Lit'],
  ['base64 without padding', '{{ $base64decode("w6k") }}', 'é'],
  ['base64 for URLs', '{{ $base64decode("8J-Zgg==") }}', '🙂'],
  ['base64 of nothing', '{{ [$base64decode(""), $base64encode("")] }}', ['', '']],
  ['concatenation with a missing side', '{{ state.nothing & "x" & state.tries }}', 'x2'],
  ['the chain operator with a concatenation as argument', '{{ "a" ~> $append("b" & "c") }}', ['a', 'bc']],
  ['a word of the language as a name', '{{ {"in": 1}.`in` }}', 1],
];

test.each(table)('%s', async (_name, value, expected) => {
  expect(await evaluate(value, scope)).toEqual(expected);
});

test('the current time of an expression is the start of the run', async () => {
  expect(await evaluate('{{ $now() }}')).toBe(new Date(startedAt).toISOString());
  expect(await evaluate('{{ $millis() }}')).toBe(startedAt);
});

test('a bare path is evaluated without a promise', () => {
  const run = { id: 'r', started_at: '', turn: 1 };
  const at = { scope: { ...scope, run }, ...unhurried() };
  expect(expression('nodes.order.body')(at)).toBe(scope.nodes.order.body);
  expect(expression('nodes.order.body.lines.sku')(at)).toEqual(['x', 'y']);
});

test('half of a surrogate pair in a URL is replaced, because it cannot be encoded', async () => {
  const at = { scope: { ...scope, state: { half: '\ud83d' }, run: { id: 'r', started_at: '', turn: 1 } } };
  const url = urlTemplate('https://api.example.com/{{ state.half }}')({ ...at, ...unhurried() });
  expect(await url).toBe('https://api.example.com/%EF%BF%BD');
});

test('a bare path maps over a list of up to ten thousand items, and fails for a longer one', async () => {
  const rows = (count: number) => ({ state: { rows: Array.from({ length: count }, (_, n) => ({ n })) } });
  expect(await evaluate('{{ state.rows.n }}', rows(10_000))).toHaveLength(10_000);
  await expect(evaluate('{{ state.rows.n }}', rows(10_001))).rejects.toMatchObject({
    code: 'expression.too_large',
  });
});

test.each([
  ['signs that are no base64', 'a*b'],
  ['one digit too many', 'QUJDR'],
  ['padding in the middle', 'QQ==QQ=='],
  ['bytes that are no UTF-8', '6Q=='],
])('$base64decode refuses %s', async (_what, text) => {
  await expect(evaluate('{{ $base64decode(state.text) }}', { state: { text } })).rejects.toMatchObject({
    code: 'expression.error',
    message: expect.stringContaining('$base64decode: expected'),
  });
});

test("an author's own error has the author's message", async () => {
  const error = await evaluate('{{ $error("No such tier") }}').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'expression.error', message: expect.stringContaining('No such tier') });
});

test.each([
  ['that gives a value', '{{ state.tries + 1 }}'],
  ['that fails', '{{ $error("No such tier") }}'],
])('an expression %s is evaluated once, also within text', async (_what, source) => {
  const run = { id: 'r', started_at: '', turn: 1 };
  const timesPaced = async (value: Json) => {
    let times = 0;
    const pace = () => {
      times++;
      return undefined;
    };
    await Promise.resolve(template(value)({ scope: { ...scope, run }, ...unhurried(), pace })).catch(
      () => undefined,
    );
    return times;
  };
  expect(await timesPaced(`Tier {{ state.tries }}: ${source}.`)).toBe(await timesPaced(source));
});

const faulty: readonly (readonly [string, string])[] = [
  ['an expression that is not closed', 'a {{ state.tries'],
  ['an empty expression', '{{ }}'],
  ['a text that is not closed', '{{ "a }}'],
  ['an expression that does not parse', '{{ state. }}'],
];

test.each(faulty)('%s is a syntax error', async (_name, value) => {
  const error = await (async () => evaluate(value))().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NodeError);
  expect(error).toMatchObject({ code: 'expression.syntax' });
});

describe('a bare path', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const tree = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 });

  test('has the same value as in the full language', async () => {
    await fc.assert(
      fc.asyncProperty(tree.value, path, async (value, names) => {
        const source = ['state', 'v', ...names].join('.');
        const full: unknown = await jsonata(source).evaluate({ state: { v: value } });
        const plain: unknown = full === undefined ? null : JSON.parse(JSON.stringify(full));
        expect(await evaluate(`{{ ${source} }}`, { state: { v: value } })).toEqual(plain);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('answer.message', () => {
  const message = { messageId: 'm-2', parts: [{ text: 'a' }, { raw: 'eA==', filename: 'x' }] };
  const read = (value: Json, template: Json) => evaluate(template, answerScope({ value, message }));

  test.each<[string, Json]>([
    ['{{ answer.message.messageId }}', 'm-2'],
    ['{{ answer & " " & answer.message.messageId }}', 'yes m-2'],
    ['{{ $.answer.message.parts[raw].filename & $$.answer.message.messageId }}', 'xm-2'],
    ['{{ $count(answer.message.parts) }}', 2],
    ['{{ $map(answer.message.parts, function($p) { $exists($p.raw) }) }}', [false, true]],
    ['{{ answer.message.parts[0].($$.answer.message.messageId) }}', 'm-2'],
    ['{{ ($a := answer.message; $a.messageId) }}', 'm-2'],
    ['{{ ($l := [{"answer": {"message": 1} }]; $l[answer.message = 1].answer.message) }}', 1],
    ['{{ answer.length }}', null],
    ['{{ answer = "yes" }}', true],
  ])('%s reads the message, whatever the answer is', async (template, value) => {
    expect(await read('yes', template)).toEqual(value);
  });

  test.each<[Json, Json]>([
    [{ message: 'own' }, 'own'],
    [[{ message: 'own' }], 'own'],
    [{ message: null }, null],
    [{ other: 1 }, 'm-2'],
    [null, 'm-2'],
  ])('of the answer %j is %j: a member of the data comes first', async (answer, value) => {
    expect(await read(answer, '{{ answer.message.messageId ?? answer.message }}')).toEqual(value);
  });
});
