// Expressions that do not parse: the check says what is missing and what to write, not what the parser calls it.
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';

test.each([
  ['1 +', 'expected a value at the end, after the last operator.'],
  ['(1', 'expected ")" at the end: what it closes is still open.'],
  ['function($x)', 'expected "{" at the end.'],
  ['a b', 'expected an operator before "b", such as "&" to join texts'],
  ['not x', 'a condition is negated by `$not(…)`; expected an operator before "x"'],
  ['a]', '"]" closes nothing: expected an opening bracket before it.'],
  ['a;b', 'expected ";" only between the expressions of a block'],
  ['= 1', 'expected a value before "=".'],
  ['a := 1', 'expected a variable such as $total before ":=".'],
  ['$f(a b)', 'expected ")" before "b".'],
  ['x#', 'expected a variable such as $i after "#".'],
  ['function(x){x}', 'expected "$" before the name of parameter 1, as in `function($x){ … }`.'],
  ['a.1', 'expected a field after ".", not the value 1.'],
  ['%', '"%" reads the object around an element, and nothing before it in the path has one.'],
  ['/(/', 'a regular expression has no closing "/".'],
  ['//', 'a regular expression is empty.'],
  ['"\\q"', 'a text has the escape \\q, which is unknown'],
  ['1e999', 'the number 1e999 is too large.'],
])('%s', (source, detail) => {
  const nodes = { a: { type: 'transform', output: `{{ ${source} }}` } };
  expect(checkFlow({ version: 1, name: 'x', start: 'a', nodes })).toMatchObject({
    ok: false,
    errors: [{ pointer: '/nodes/a/output', detail: expect.stringContaining(`: ${detail}`) }],
  });
});
