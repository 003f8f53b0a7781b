// Unknown names in expressions are mistakes, but only where it is certain what the name refers to.
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';

const flowWith = (
  expression: string,
  body: object = { type: 'transform', output: `{{ ${expression} }}` },
) => ({
  version: 1,
  name: 'names',
  start: 'first',
  state: { total: 0 },
  nodes: { first: { type: 'transform', output: [{ id: 1 }], next: 'last' }, last: body },
});

const found = (expression: string) => {
  const checked = checkFlow(flowWith(expression));
  const mistakes = 'errors' in checked ? checked.errors : checked.warnings;
  return mistakes.map(({ pointer, detail }) => `${pointer} ${detail}`);
};

test.each([
  ['a name of the scope within text', 'inputs.message & "x"', 'unknown name "inputs"'],
  ['as an argument', '$uppercase(input.mesage)', 'unknown name "input.mesage"'],
  ['in a sum', 'item.x + 1', 'unknown name "item"'],
  ['in a function of its own', '$map([1], function($v) { $v + count })', 'unknown name "count"'],
  ['behind $$', 'nodes.first[$$.stat.total = id]', 'unknown name "stat"'],
  ['behind $', '$.nodes.second', 'unknown node "second"'],
  ['a state that nothing sets', 'state.foo + 1', 'state.foo never has a value'],
  ['a node in a list', '[nodes.second]', 'unknown node "second"'],
  ['a function', '$uppercse("x")', 'unknown name "$uppercse"'],
  ['a variable', '($sum := 1; $sun + 1)', 'unknown name "$sun"'],
])('an unknown name is reported: %s', (_where, expression, detail) => {
  expect(found(expression)).toEqual([expect.stringContaining(`/nodes/last/output`)]);
  expect(found(expression)[0]).toContain(detail);
});

test.each([
  ['in a filter', 'nodes.first[nodes.other = 1 or stat = 2].id'],
  ['in a later step', 'nodes.first.(inputs & "x")'],
  ['in a group', 'nodes.first{ kind: $sum(amount) }'],
  ['in a sort', 'nodes.first^(>amount, kind).id'],
  ['behind a filter', 'nodes.first[0].nodes.other'],
  ['bound by the expression', '($x := 1; $f := function($y) { $y + $x }; $f(2))'],
  ['bound by a step', 'nodes.first@$row#$n.($row.id + $n)'],
  ['of the language', '$now() & $millis() & $string(nodes.first ~> $map(function($v, $i) { $i }))'],
  ['of the scope everywhere', 'nodes.first[id = $$.state.total].id'],
])('a name that is known, or may be known, is not reported: %s', (_where, expression) => {
  expect(found(expression)).toEqual([]);
});
