// Values that have broken programs before, whatever their schema says.
import fc from 'fast-check';

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  'line\r\nX-Injected: yes',
  '\n',
  '\ud800',
  'a\udfffb',
  '\ufeff',
  '\u202egnp.exe',
  '\u200b',
  'ﬁ',
  'İ',
  '👩‍👩‍👧',
  'e\u0301'.repeat(50),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '..',
  '.',
  '%00',
  '%2e%2e%2f',
  '%zz',
  '%',
  '{{ input.message }}',
  '{{ $eval("1") }}',
  '{{ $string($) }}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  'null',
  'NaN',
  '1e400',
  '-0',
  'https://169.254.169.254/latest/meta-data/',
  'http://[::1]:80/',
  'https://user:pass@host.example/',
  'https://host.example/\r\nX: y',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'agents',
  'start',
  'trg_x',
  'build-0',
  'build-999999999',
  '*',
  '"',
  'W/"1"',
  '9'.repeat(30),
  'x'.repeat(257),
  'x'.repeat(5_000),
  '/'.repeat(300),
  '"'.repeat(500),
  '\\'.repeat(500),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...texts), weight: 4 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 1 },
  {
    // Code units, so that halves of surrogate pairs are among them.
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
    weight: 1,
  },
);

const numbers = [
  0,
  -0,
  -1,
  0.1,
  1.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e308,
  5e-324,
  Number.MAX_VALUE,
];

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = around(value);
  return value;
}

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));

/** Large and deep ones are made when they are used, and few: each takes the service a while to read. */
const large: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(95, 99, 100, 101, 400, 3_000).map((depth) => nested(depth, (inner) => [inner])),
  fc.constantFrom(95, 99, 100, 101, 400, 3_000).map((depth) => nested(depth, (inner) => ({ a: inner }))),
  fc.constantFrom(201, 2_000, 20_000).map((count) => Array.from({ length: count }, () => 'x')),
  fc.constantFrom(101, 2_000, 20_000).map(named),
  fc.constantFrom(4_097, 100_000, 250_000).map((length) => 'x'.repeat(length)),
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: hostileText, weight: 6 },
  { arbitrary: fc.constantFrom<unknown>(...numbers), weight: 3 },
  { arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}]), weight: 3 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 2 },
  { arbitrary: large, weight: 1 },
);

/** Bodies that are no JSON value, or one that a parser reads in more than one way. */
export const hostileBodyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"text"',
    '1',
    '{"a":1,}',
    "{'a':1}",
    '\ufeff{}',
    '{"a":1}{"b":2}',
    '{"a":1e400}',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"a":"\\ud800"}',
    '{"a":"\u0000"}',
    '{"message":"a","message":"b"}',
    `{"a":${'['.repeat(20_000)}`,
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    `${' '.repeat(10_000)}{}`,
    `{"a":${'9'.repeat(10_000)}}`,
  ),
  fc.string({ maxLength: 200 }),
);

/** Parts of a query that no client would encode so. */
export const hostileQuery: fc.Arbitrary<string> = fc.constantFrom(
  '%',
  '%zz=1',
  'limit=%ff',
  'limit=%ED%A0%80',
  'cursor=%00',
  '&&&',
  '=',
  '__proto__=1',
  'constructor=1',
  'a[b]=1',
  'limit=1;cursor=2',
  'workspaceid=+',
  Array.from({ length: 300 }, (_, n) => `q${n}=`).join('&'),
);
