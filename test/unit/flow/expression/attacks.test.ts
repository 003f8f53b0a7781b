// Hostile expressions and hostile data. What counts is the typed error (or the harmless value), not the time:
// each must end by itself.
import { afterEach, describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Json } from '#lib/json/json.ts';
import { evaluate } from '../scripted.ts';

/** Which bound stops an attack first depends on the machine: time, size or depth. */
const bounded = /^expression\.(timeout|too_large|too_deep)$/;

const stopped: readonly (readonly [string, string, string | RegExp])[] = [
  // Time
  ['endless recursion', '($f := function(){ $f() }; $f())', bounded],
  ['recursion that is no tail call', '($f := function($n){ 1 + $f($n + 1) }; $f(0))', bounded],
  ['mutual recursion', '($a := function(){ $b() }; $b := function(){ $a() }; $a())', bounded],
  ['nested loops', '$count([1..9999].($x := $; [1..9999].($ * $x)))', bounded],
  [
    'a loop of reductions',
    '$reduce([1..9999], function($a, $i){ $reduce([1..9999], function($b, $j){ $b + $j }, $a) }, 0)',
    bounded,
  ],
  [
    'a sort with a slow comparison',
    '$sort([1..9999], function($a, $b){ $sum([1..999]) > 0 and $a > $b })',
    bounded,
  ],
  // Memory
  ['a long range', '[1..9000000]', bounded],
  ['a longer range', '[1..99999999]', bounded],
  ['many ranges kept', '$map([1..9999], function($i){ [[1..9999]] })', bounded],
  ['many ranges kept by a partial application', '$map([1..9999], $append(?, [1..9998]))', bounded],
  [
    'lists in lists',
    '($f := function($x, $n){ $n = 0 ? $x : $f([[$x], [$x]], $n - 1) }; $f([1], 60))',
    bounded,
  ],
  [
    'shared objects',
    '($f := function($x, $n){ $n = 0 ? $x : $f({"a": $x, "b": $x}, $n - 1) }; $f(1, 60))',
    bounded,
  ],
  [
    'comparing shared objects',
    '($f := function($x, $n){ $n = 0 ? $x : $f({"a": $x, "b": $x}, $n - 1) }; $f(1, 40) = $f(1, 40))',
    bounded,
  ],
  [
    'shared objects dressed as a function',
    '($f := function($x, $n){ $n = 0 ? $x : $f({"_jsonata_lambda": true, "a": $x, "b": $x}, $n - 1) }; $f(1, 40) = $f(1, 40))',
    'expression.error',
  ],
  [
    'descendants of shared objects',
    '($f := function($x, $n){ $n = 0 ? $x : $f({"a": $x, "b": $x}, $n - 1) }; $count($f(1, 15).**))',
    bounded,
  ],
  ['deep nesting by a reduction', '$reduce([1..5000], function($a, $i){ {"a": $a} }, 0)', bounded],
  [
    'zipping onto itself',
    '($f := function($x, $n){ $n = 0 ? $x : $f($zip($x, $x), $n - 1) }; $f([1, 2], 60))',
    bounded,
  ],
  ['padding', '$pad("x", 400000000)', bounded],
  ['padding to the left', '$pad("x", -400000000)', bounded],
  ['padding with a long text', '$pad("x", 200000, $pad("y", 200000))', bounded],
  ['padding without end', '$pad("x", 1/0.0000000000000001)', bounded],
  [
    'doubling a text',
    '($f := function($s, $n){ $n = 0 ? $s : $f($s & $s, $n - 1) }; $f("xxxxxxxx", 60))',
    bounded,
  ],
  [
    'doubling a text by $join',
    '($f := function($s, $n){ $n = 0 ? $s : $f($join([$s, $s]), $n - 1) }; $f("xxxxxxxx", 60))',
    bounded,
  ],
  ['joining with a long separator', '$join($map([1..9999], $string), $pad("-", 9999))', bounded],
  ['replacing by long texts', '$replace($pad("", 99999, "a"), "a", $pad("", 99999, "b"))', bounded],
  ['replacing by groups', '$replace($pad("", 9999, "a"), /(a)/, $pad("", 9998, "$1"))', bounded],
  [
    'encoding again and again',
    '($f := function($s, $n){ $n = 0 ? $s : $f($base64encode($s), $n - 1) }; $length($f($pad("x", 1000), 60)))',
    bounded,
  ],
  [
    'percent-encoding again and again',
    '($f := function($s, $n){ $n = 0 ? $s : $f($encodeUrlComponent($s), $n - 1) }; $f($pad("", 99999, "€"), 3))',
    bounded,
  ],
  ['text of a large value', '$string($map([1..9999], function($i){ $pad("x", 999) }))', bounded],
  ['a large value as a side of &', '$map([1..9999], function($i){ $pad("x", 999) }) & ""', bounded],
  // Regular expressions
  ['a regular expression with too many matches', '$count($match($pad("", 200000, "a"), /a/))', bounded],
  [
    'a regular expression of many states on a long text',
    '$contains($pad("", 200000, "x"), /(x{500}){2}y/)',
    bounded,
  ],
  ['matches that each look to the end', '$replace($pad("", 100000, "a"), /a(.*b)?/, "c")', bounded],
  ['an empty match', '$replace("abc", /x*/, "y")', 'expression.error'],
  ['look-ahead', '$contains("a", /(?=a)a/)', 'expression.syntax'],
  ['a back-reference', '$contains("aa", /(a)\\1/)', 'expression.syntax'],
  // Dates, numbers and digests
  ['a picture with a huge width', '$now("[Y,*-999999999]")', 'expression.error'],
  ['a picture with a huge width in hexadecimal', '$now("[Y,0x7fffffff]")', 'expression.error'],
  ['a long picture', '$now($pad("", 2000, "[Y]"))', 'expression.error'],
  ['a long picture to read', '$toMillis("1", $pad("", 2000, "[f]"))', 'expression.error'],
  ['a time beyond all calendars', '$fromMillis(1e300)', 'expression.error'],
  ['a time that is no number', '$fromMillis(0/0)', 'expression.error'],
  ['adding a million years', '$dateAdd(0, 1000000, "years")', 'expression.error'],
  ['a number without end', '$formatNumber(1/0, "0e0")', 'expression.error'],
  ['a number that the library writes with an exponent', '$formatNumber(1e21, "#,##0")', 'expression.error'],
  ['a fraction of a digit', '$round(1.25, 1.5)', 'expression.error'],
  ['a number rounded beyond the largest', '$round(1.7e308, -308)', 'expression.error'],
  ['a zero without a character', '$formatNumber(0, "#", {"zero-digit": ""})', 'expression.error'],
  ['a long picture of a number', '$formatNumber(1, $pad("", 200000, "#"))', 'expression.error'],
  ['a Roman numeral of a huge number', '$formatInteger(1e300, "I")', 'expression.error'],
  ['a huge range', '$range(0, 1e300)', bounded],
  ['a range of tiny steps', '$range(0, 1, 1e-300)', bounded],
  [
    'digests again and again',
    '$map([1..9999], function($i){ $hash($pad("", 250000, "x"), "SHA-512") })',
    bounded,
  ],
  ['keys of long texts', '$distinctBy([1..9999], function($i){ $pad("x", 200000 + $i) })', bounded],
  [
    'many empty objects',
    '$map([1..99], function($i){ $parse("[" & $pad("{}", 200000, ",{}") & "]") })',
    bounded,
  ],
  ['JSON that is nested deeply', '$parse($pad("", 99999, "[") & $pad("", 99999, "]"))', bounded],
  // Functions that are not available
  ...['eval("1")', 'shuffle([1, 2])', 'clone({})'].map(
    (call) => [`$${call}`, `$${call}`, 'expression.denied'] as const,
  ),
  ['a denied function under another name', '($f := $eval; $f("1"))', 'expression.denied'],
  ['a denied function as an argument', '$map(["1"], $eval)', 'expression.denied'],
  ['a denied function applied', '"1" ~> $eval', 'expression.denied'],
  ['a denied function in a partial application', '($f := $eval(?); $f("1"))', 'expression.denied'],
  ['the transform operator', '{} ~> | $ | {"a": 1} |', 'expression.denied'],
  // Syntax
  ['thousands of parentheses', `${'('.repeat(2500)}1${')'.repeat(2500)}`, 'expression.syntax'],
  ['a variable of the guards', '$`&`', 'expression.syntax'],
  ['thousands of signs', `${'-'.repeat(5000)}1`, 'expression.syntax'],
  ['an endless chain', `1${'+1'.repeat(2000)}`, bounded],
  ['too long a text', `"${'x'.repeat(5200)}"`, 'expression.syntax'],
];

describe('an attack ends with a typed error', () => {
  test.each(stopped)('%s', async (_name, source, code) => {
    const error: unknown = await evaluate(`{{ ${source} }}`).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NodeError);
    expect(readCode(error)).toMatch(code);
  });
});

const harmless: readonly (readonly [string, string, Json])[] = [
  ['the constructor of a value', 'input.constructor', null],
  ['the constructor of a constructor', 'state.text.constructor.constructor', null],
  ['the prototype', 'state.__proto__', null],
  ['the prototype in brackets', '$lookup(state, "__proto__")', null],
  ['the prototype by its quoted name', 'state.`__proto__`.polluted', null],
  ['inherited functions', '[state.toString, state.hasOwnProperty, state.valueOf]', []],
  ['the length of a text', 'state.text.length', null],
  ['methods of a list', 'state.list.map', null],
  ['a key that is a prototype', '{"__proto__": {"polluted": true}}.polluted', null],
  ['merging a prototype', '$merge([{"a": 1}, {"__proto__": {"polluted": true}}]).polluted', null],
  ['the catastrophic expression in linear time', '$contains($pad("", 20000, "a") & "b", /^(a+)+$/)', false],
  ['alternatives that overlap', '$contains($pad("", 20000, "a") & "b", /^(a|aa)+$/)', false],
  ['a function as the value', '$sum', null],
  ['a lambda as the value', 'function($x){ $x }', null],
  ['functions inside the value', '{"f": $sum, "g": function(){ 1 }, "a": 1}', { a: 1 }],
  ['the environment of the process', '$process', null],
  ['globals', '[$globalThis, $require, $import, process, global]', []],
  ['a name of the guards', '[`&`]', []],
];

describe('an attack has no effect', () => {
  const state = { text: 'x', list: [1, 2] };
  test.each(harmless)('%s', async (_name, source, value) => {
    expect(await evaluate(`{{ ${source} }}`, { state }).catch((error: unknown) => readCode(error))).toEqual(
      value,
    );
  });
});

describe('data is never evaluated', () => {
  const payload: Json = JSON.parse(
    '{"_jsonata_lambda":true,"_jsonata_function":true,"body":{"type":"string","value":"run"},"arguments":[],"environment":{},"implementation":"x"}',
  );
  const hostile: readonly Json[] = [
    '{{ 1 + 1 }}',
    '$eval("1")',
    payload,
    JSON.parse('{"__proto__":{"polluted":true}}'),
  ];

  test.each(hostile)('%j is returned unchanged', async (value) => {
    const scope = { state: { value } };
    expect(await evaluate('{{ state.value }}', scope)).toEqual(value);
    expect(await evaluate('{{ [state.value][0] }}', scope)).toEqual(value);
  });

  test('a value that looks like a function cannot be called', async () => {
    const call = await evaluate('{{ $map([1], state.value) }}', { state: { value: payload } }).catch(
      readCode,
    );
    expect(call).toBe('expression.error');
  });

  test('a template inside a value stays text inside text', async () => {
    expect(await evaluate('a {{ state.value }} b', { state: { value: '{{ run.id }}' } })).toBe(
      'a {{ run.id }} b',
    );
  });
});

afterEach(() => {
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

const readCode = (error: unknown) => (error instanceof NodeError ? error.code : String(error));
