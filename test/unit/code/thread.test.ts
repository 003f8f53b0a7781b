// The evaluation of code in a thread: what it results in, and what code cannot do, whatever it tries.
import { describe, expect, test } from 'vitest';
import type { CodeFailure } from '#lib/code/code-call.ts';
import { createCodeThread } from '#lib/code/thread.ts';
import { limits } from '#lib/flow/format/limits.ts';

const evaluate = createCodeThread();
const now = Date.parse('2026-11-21T09:00:00.123Z');
const call = { input: '{}', now, seed: 'run.node.1', timeoutMs: 100 };

/** The output, or the failure. */
async function run(code: string, more: Partial<typeof call> = {}): Promise<unknown> {
  const outcome = await evaluate({ ...call, ...more, code });
  return 'json' in outcome ? JSON.parse(outcome.json) : outcome.failure;
}

const failure = (reason: CodeFailure['reason'], message: unknown = expect.any(String)) => ({
  reason,
  message,
});

describe('code', () => {
  test('computes its output from its input', async () => {
    const input = JSON.stringify({ items: [{ price: 12 }, { price: 30 }] });
    const code = 'let total = 0;\nfor (const { price } of input.items) total += price;\nreturn { total };';
    expect(await run(code, { input })).toEqual({ total: 42 });
  });

  test('may use what JavaScript itself has', async () => {
    const code =
      'return [..."b,a".split(",")].sort().map((x) => x.replace(/a/, "é")).concat(Object.keys(Object.groupBy([1, 2], (n) => n % 2 ? "odd" : "even")))';
    expect(await run(code)).toEqual(['é', 'b', 'odd', 'even']);
  });

  test('returns what JSON has for it', async () => {
    expect(await run('return { at: new Date(0), no: undefined, text: "\\u0000\\u2028\\ud800" }')).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      text: '\u0000\u2028\ud800',
    });
  });

  test.each([
    ['no return', 'input.a', 'It is undefined: the code has no "return" with a value'],
    ['a function', 'return () => 1', 'It is a function'],
    ['a function inside', 'return { a: [() => 1] }', 'The field "a[0]" is a function'],
    ['a value deep inside', 'return { x: [{}], a: { c: [1], b: [[], NaN] } }', 'The field "a.b[1]" is NaN'],
    ['an item of a list', 'return [[1], [2, 1n]]', 'The field "[1][1]" is a bigint'],
    [
      'a field, whatever the code did to the interpreter',
      'Array.isArray = Array.prototype.push = () => { throw 1 }; return { a: [Symbol()] }',
      'The field "a[0]" is a symbol',
    ],
    ['a symbol', 'return Symbol()', 'It is a symbol'],
    ['a big integer', 'return { n: 1n }', 'The field "n" is a bigint'],
    ['a number that JSON lacks', 'return { rate: 0 / 0 }', 'The field "rate" is NaN'],
    ['a Map', 'return { m: new Map() }', 'The field "m" is a Map'],
    ['a promise', 'return (async () => 1)()', 'It is a promise, and nothing in the code is asynchronous'],
    ['an import', 'return import("fs")', 'It is a promise, and nothing in the code is asynchronous'],
    ['a circle', 'const a = {}; a.a = a; return a', 'It contains itself'],
    [
      'deep nesting',
      'let a = []; for (let i = 0; i < 20000; i++) a = [a]; return a',
      'It is nested too deeply',
    ],
  ])('%s is no output', async (_name, code, why) => {
    expect(await run(code)).toEqual(failure('invalid_output', `The code returned no JSON. ${why}.`));
  });

  test('an output above the limit is refused', async () => {
    expect(await run(`return "a".repeat(${limits.variableBytes - 2})`)).toHaveLength(
      limits.variableBytes - 2,
    );
    expect(await run(`return "a".repeat(${limits.variableBytes})`)).toMatchObject({ reason: 'too_large' });
  });
});

describe('a failure names the line of the code', () => {
  test.each([
    ['threw', 'const a = null;\nreturn a.b', "line 2, column 9: TypeError: cannot read property 'b' of null"],
    ['threw', '\n\nx = 1', "line 3, column 1: ReferenceError: 'x' is not defined"],
    ['threw', 'throw new RangeError("no")', 'line 1, column 21: RangeError: no'],
    ['threw', 'throw { code: 7 }', '{"code":7}'],
    ['threw', 'throw null', 'null'],
    [
      'syntax',
      'const a = 1;\nreturn a +* 2',
      "line 2, column 11: SyntaxError: unexpected token in expression: '*'",
    ],
  ] as const)('%s: %j', async (reason, code, message) => {
    expect(await run(code)).toEqual(failure(reason, message));
  });

  test('and no more of its message than people read', async () => {
    expect(await run('throw new Error("a".repeat(1e6))')).toEqual(
      failure('threw', expect.stringMatching(/^.{501}$/)),
    );
  });
});

describe('replays', () => {
  const random = 'return [Math.random(), Math.random(), [3, 1, 2].sort(() => Math.random() - 0.5)]';

  test('the clock shows the time of the execution, in UTC', async () => {
    const zone = 'new Date(2026, 6, 1).getTimezoneOffset()';
    const code = `for (let i = 0; i < 1e5; i++); return [Date.now(), new Date().toISOString(), new Date().getHours(), ${zone}]`;
    expect(await run(code)).toEqual([now, '2026-11-21T09:00:00.123Z', 9, 0]);
  });

  test('random numbers follow from the seed', async () => {
    const first = await run(random);
    expect(await run(random)).toEqual(first);
    expect(await run(random, { now: now + 60_000 })).toEqual(first);
    expect(await run(random, { seed: 'run.node.2' })).not.toEqual(first);
  });

  test('code that takes too many steps does so every time', async () => {
    const code = 'let n = 0; for (let i = 0; i < input; i++) n += i; return n';
    // Some 15,000 loops a millisecond.
    for (let times = 0; times < 3; times += 1) {
      expect(await run(code, { timeoutMs: 10, input: '100000' })).toBe(4_999_950_000);
      expect(await run(code, { timeoutMs: 10, input: '200000' })).toEqual(failure('timeout'));
    }
  });
});

describe('time', () => {
  const message = 'The code takes more steps than 100 ms allow (timeout_ms).';

  test.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches everything', 'for (;;) try { for (;;); } catch {}'],
    ['a pattern', 'return /(a+)+b/.test("a".repeat(40))'],
    ['a getter of the output', 'return { get a() { for (;;); } }'],
    ['a toJSON', 'return { toJSON() { for (;;); } }'],
    ['a proxy', 'return new Proxy({}, { ownKeys() { for (;;); } })'],
    [
      'the message of an error',
      'throw Object.assign(new Error(), { message: { toString() { for (;;); } } })',
    ],
    ['the stack of an error', 'throw Object.defineProperty(new Error(), "stack", { get() { for (;;); } })'],
    [
      'the class of an error',
      'Object.defineProperty(Error, Symbol.hasInstance, { value() { for (;;); } }); throw 1',
    ],
    [
      'a generator that is interrupted',
      'function* g() { for (;;); }\ntry { for (const x of g()); } catch {}\nreturn 1',
    ],
    ['a generator', 'function* g() { for (;;) yield 1; }\nreturn [...g()]'],
    ['a finally', 'try { for (;;); } finally { for (;;); }'],
  ])('%s is ended', async (_name, code) => {
    expect(await run(code)).toEqual(failure('timeout', message));
  });

  test('what the interpreter does not count is ended with its thread, and the next call has another', async () => {
    const code = 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';
    const ended = run(code, { timeoutMs: 1 });
    const next = run('return 2');
    expect(await ended).toEqual(failure('timeout', 'The code takes longer than 1 ms allow (timeout_ms).'));
    expect(await next).toBe(2);
  });
});

describe('memory', () => {
  const memory = failure('memory', 'The code needs more than 32 MB of memory.');

  test.each([
    ['lists', 'const a = []; for (;;) a.push([1, 2, 3]);'],
    ['texts', 'const a = []; for (;;) a.push("a".repeat(100000) + a.length);'],
    ['bytes', 'return new Uint8Array(1e9).length'],
    ['a list', 'return Array(1e8).fill(0).length'],
    ['bytes that grow', 'const b = new ArrayBuffer(8, { maxByteLength: 1e9 }); b.resize(1e9); return 1'],
  ])('%s', async (_name, code) => {
    expect(await run(code, { timeoutMs: 1000 })).toEqual(memory);
  });

  test('of a text is limited by its length', async () => {
    const code = 'let s = "aa"; for (;;) s += s;';
    expect(await run(code)).toEqual(failure('threw', 'line 1, column 26: InternalError: string too long'));
  });

  test.each([
    ['calls', 'const f = () => f() + 1; return f()'],
    ['methods of the interpreter', 'const f = () => [1].map(f); return f()'],
    ['conversions', 'const o = { toString: () => String(o) }; return String(o)'],
    ['JSON', 'return JSON.parse("[".repeat(1e5))'],
    ['source', 'return eval("(".repeat(1e5))'],
    ['a pattern', 'return new RegExp("(?:".repeat(1e5) + ")".repeat(1e5)).test("a")'],
  ])('of the stack ends the recursion of %s', async (_name, code) => {
    expect(await run(code)).toEqual(failure('threw', expect.stringContaining('stack overflow')));
  });

  test('code may catch it', async () => {
    expect(await run('const f = () => f() + 1; try { f() } catch (error) { return error.message }')).toBe(
      'stack overflow',
    );
  });
});

describe('isolation', () => {
  test.each([
    'process',
    'require',
    'fetch',
    'setTimeout',
    'WebAssembly',
    'std',
    'os',
    'console',
    'performance',
    'Atomics',
  ])('there is no %s', async (name) => {
    const reach = `(() => {}).constructor("return typeof ${name}")()`;
    expect(await run(`return [typeof ${name}, typeof globalThis.${name}, ${reach}]`)).toEqual(
      Array(3).fill('undefined'),
    );
  });

  test('nothing of a call is left for the next', async () => {
    const poison = `
      globalThis.left = 1;
      Object.prototype.left = 1;
      Array.prototype.map = () => "poisoned";
      Array.prototype.toJSON = () => "poisoned";
      JSON.stringify = JSON.parse = () => "poisoned";
      Math.random = () => 0;
      Date.now = () => 0;
      Function.prototype.call = () => "poisoned";
      return 1;`;
    expect(await run(poison)).toBe(1);
    const code =
      'return [typeof left, ({}).left ?? null, [1].map((x) => x + 1), Date.now(), JSON.stringify([1])]';
    expect(await run(code)).toEqual(['undefined', null, [2], now, '[1]']);
  });

  test('methods that the code replaces do not change what the host reads', async () => {
    const tagged = '"Ofalse"';
    const code = `
      String.prototype.slice = String.prototype.toString = () => ${tagged};
      globalThis.String = () => ${tagged};
      Error.prototype.toString = () => ${tagged};
      throw new Error("real");`;
    expect(await run(code)).toMatchObject({
      reason: 'threw',
      message: expect.stringContaining('Error: real'),
    });
  });

  test('a faked error names nothing but itself', async () => {
    expect(await run('throw new InternalError("out of memory")')).toEqual(failure('memory'));
    expect(
      await run('const e = new Error("a\\u0001b"); e.stack = "<input>:999999999999:1"; throw e'),
    ).toEqual(failure('threw', 'Error: a'));
  });

  test('a name of the prototype chain is data', async () => {
    const input = '{"__proto__": {"admin": true}, "constructor": 1}';
    expect(await run('return [input.admin ?? null, Object.keys(input)]', { input })).toEqual([
      null,
      ['__proto__', 'constructor'],
    ]);
  });
});

test('calls are answered one after the other, each with its own outcome', async () => {
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => run(`return ${n}`)));
  expect(outcomes).toEqual(Array.from({ length: 20 }, (_, n) => n));
});
