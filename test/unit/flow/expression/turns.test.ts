// What JSONata begins all at once: members of an object, items of a list, groups. Only nesting counts as depth.
import jsonata from 'jsonata';
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json } from '#lib/json/json.ts';
import { evaluate, timeless } from '../scripted.ts';

const rows = (count: number, groups = count) => ({
  state: { rows: Array.from({ length: count }, (_, n) => ({ cat: `c${n % groups}`, price: n, tags: [n] })) },
});
const calls = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n));

test('ten thousand groups fit into the steps of one evaluation', async () => {
  const sums = await evaluate('{{ state.rows{cat: $sum(price)} }}', rows(10_000), timeless);
  expect(sums).toEqual(Object.fromEntries(calls(10_000, String).map((n) => [`c${n}`, Number(n)])));
});

test.each([
  ['an object with 200 calls', `{${calls(200, (n) => `"k${n}": $string(${n})`)}}`],
  ['a list of 200 calls', `[${calls(200, (n) => `$string(${n})`)}]`],
  ['two aggregates for each of 500 groups', 'rows{cat: {"sum": $sum(price), "max": $max(price)}}'],
  ['two names for each group', 'rows{cat: price, "x" & cat: tags[0]}'],
  ['groups of a constructed list', '[1, 2, 1, 3]{$string($): $count($)}'],
  ['groups in groups', 'rows{cat: $.{$string(price): tags{$string($): [$, 1, [2, 3]]}}}'],
  ['groups with a bound row', 'rows@$r{$r.cat: $r.price + $count($r.tags)}'],
  ['an object for each item', 'rows.{"id": price, "tags": [tags, "x", cat], "none": missing}'],
  [
    'recursion inside members',
    '($f := function($n){ $n = 0 ? [0, 1] : {"a": $f($n - 1), "b": [$n, $n]} }; $f(8))',
  ],
])('%s has the value that JSONata gives', async (_what, source) => {
  const { state } = rows(500);
  const expected: unknown = JSON.parse(JSON.stringify(await jsonata(source).evaluate(state)));
  const inState = source.replaceAll('rows', 'state.rows');
  expect(await evaluate(`{{ ${inState} }}`, { state })).toEqual(expected);
});

describe('recursion', () => {
  const nest = (body: string, depth: number): Promise<Json> =>
    evaluate(`{{ ($f := function($n){ $n = 0 ? 0 : ${body} }; $f(${depth})) }}`);

  test.each([
    ['an object', '{"a": $f($n - 1)}'],
    ['an object with several members', '{"z": $n, "a": $f($n - 1), "b": $n}'],
    ['a list with several items', '[1, $f($n - 1), $n]'],
  ])('through %s ends at the same depth, however many parts stand beside', async (_what, body) => {
    await expect(nest(body, 24)).resolves.toBeTypeOf('object');
    await expect(nest(body, limits.expressionStack)).rejects.toMatchObject({ code: 'expression.too_deep' });
  });
});
