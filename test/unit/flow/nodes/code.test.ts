// The node type `code`: JavaScript that is evaluated outside the engine.
import { describe, expect, test } from 'vitest';
import { createCodeThread } from '#lib/code/thread.ts';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { CodePort } from '#lib/flow/ports/code.ts';
import type { Json } from '#lib/json/json.ts';
import { emptyInput, runNodes, startedAt } from '../scripted.ts';

const code: CodePort = createCodeThread();
const done = { type: 'end', output: { result: '{{ nodes.c }}' } };

/** The output of one node, or the error of the run. */
async function use(fields: object, port = code, input = emptyInput): Promise<unknown> {
  const nodes = { c: { type: 'code', next: 'done', ...fields }, done };
  const { outcome } = await runNodes(nodes, { code: port }, { options: { input } });
  if (outcome.status === 'completed') return outcome.response.result;
  if (outcome.status !== 'failed') throw new Error(outcome.status);
  return { code: outcome.error.code, message: outcome.error.message };
}

test('the output is what the code returns for its input', async () => {
  const input = { message: 'a b', user_variables: {} };
  const fields = {
    input: { words: '{{ $split(input.message, " ") }}' },
    code: 'return input.words.reverse()',
  };
  expect(await use(fields, code, input)).toEqual(['b', 'a']);
  expect(await use({ code: 'return input' })).toEqual({});
});

test('the code is no template', async () => {
  expect(await use({ code: 'return "{{ input.message }}"' })).toBe('{{ input.message }}');
});

test.each([
  ['code.threw', 'return input.a.b', "line 1, column 15: TypeError: cannot read property 'b' of undefined"],
  ['code.timeout', 'for (;;);', 'The code takes more steps than 100 ms allow (timeout_ms).'],
  ['code.memory', 'return new Uint8Array(1e9)', 'The code needs more than 32 MB of memory.'],
  ['code.invalid_output', 'return () => 1', 'The code returned no JSON. It is a function.'],
  [
    'value.too_large',
    'return "a".repeat(3e5)',
    `output: expected at most ${limits.variableBytes} bytes of JSON.`,
  ],
])('%s', async (expected, source, message) => {
  expect(await use({ code: source })).toEqual({ code: expected, message });
});

test.each([
  ['deeper than values may be', 'let a = 1; for (let i = 0; i < 200; i++) a = [a]; return a'],
  ['with a name that reaches for prototypes', 'return JSON.parse(\'{"__proto__": {"a": 1}}\')'],
])('an output %s is invalid', async (_name, source) => {
  expect(await use({ code: source })).toMatchObject({ code: 'code.invalid_output' });
});

test('a name that no member may have is named with its path', async () => {
  expect(await use({ code: 'return { a: [JSON.parse(\'{"__proto__": 1}\')] }' })).toEqual({
    code: 'code.invalid_output',
    message: 'output, /a/0/__proto__: is a name that no member may have.',
  });
});

test('bytes of the output count, not characters', async () => {
  expect(await use({ code: `return "é".repeat(${limits.variableBytes / 2})` })).toMatchObject({
    code: 'value.too_large',
  });
});

test('an input above its limit is not sent', async () => {
  const input = `{{ $map($range(1, 8, 1), function($n) { $pad("", ${200 * 1024}, "a") }) }}`;
  expect(await use({ code: 'return 1', input })).toMatchObject({ code: 'value.too_large' });
});

test('timeout_ms is what the code may take', async () => {
  const source = 'let n = 0; for (let i = 0; i < 1e6; i++) n += i; return n';
  expect(await use({ code: source, timeout_ms: 10 })).toMatchObject({ code: 'code.timeout' });
  expect(await use({ code: source, timeout_ms: 200 })).toBe(499_999_500_000);
});

describe('an execution that is repeated', () => {
  const asked: Json[] = [];
  const recording: CodePort = async (request, call) => {
    asked.push([request.now, request.seed]);
    return await code(request, call);
  };

  test('has the clock and the random numbers of the first', async () => {
    const nodes = {
      each: {
        type: 'map',
        items: [1, 2],
        body: { start: 'c', nodes: { c: { type: 'code', code: 'return [Date.now(), Math.random()]' } } },
        next: 'done',
      },
      done: { type: 'end', output: { result: '{{ nodes.each }}' } },
    };
    const runs = [await runNodes(nodes, { code: recording }), await runNodes(nodes, { code: recording })];
    const [first, second] = runs.map(
      ({ outcome }) => outcome.status === 'completed' && outcome.response.result,
    );
    expect(second).toEqual(first);
    expect(first).toEqual([
      [startedAt, expect.any(Number)],
      [startedAt, expect.any(Number)],
    ]);
    expect(asked.slice(2)).toEqual(asked.slice(0, 2));
    expect(new Set(asked.map((each) => JSON.stringify(each))).size).toBe(2);
  });

  test('after a crash is resumed from the snapshot with the same values', async () => {
    const source = { code: 'return [Date.now(), Math.random()]' };
    const nodes = { c: { type: 'code', next: 'done', ...source }, done };
    const whole = await runNodes(nodes, { code });
    const before = whole.snapshots.at(0);
    expect(whole.outcome).toMatchObject({ status: 'completed' });
    const again = await runNodes(nodes, { code }, { options: { snapshot: JSON.parse(before ?? '') } });
    expect(again.outcome).toEqual(whole.outcome);
  });
});

test('a flow can continue where its code cannot be evaluated', async () => {
  const down: CodePort = async () => {
    throw new NodeError('code.unavailable', 'Not now.');
  };
  const nodes = {
    c: { type: 'code', code: 'return 7', next: 'done', catch: [{ on: ['code.unavailable'], next: 'done' }] },
    done: { type: 'end', output: { result: '{{ nodes.c.error.message }}' } },
  };
  const { outcome } = await runNodes(nodes, { code: down });
  expect(outcome).toMatchObject({ status: 'completed', response: { result: 'Not now.' } });
});

test('a run without an interpreter says so', async () => {
  const { outcome } = await runNodes({ c: { type: 'code', code: 'return 1' } });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'code.unavailable' } });
});

describe('the check', () => {
  const check = (fields: object) => {
    const checked = checkFlow({
      version: 1,
      name: 'T',
      start: 'c',
      nodes: { c: { type: 'code', ...fields } },
    });
    return checked.ok ? checked.flow.nodes.c : checked.errors;
  };

  test('finds a mistake in the syntax, with its line', () => {
    expect(check({ code: 'const a = 1;\nreturn a +* 2;' })).toEqual([
      { pointer: '/nodes/c/code', detail: "expected JavaScript: line 2, column 11: Unexpected token '*'" },
    ]);
  });

  test('says where templates belong', () => {
    expect(check({ code: 'return {{ input.message }};' })).toEqual([
      {
        pointer: '/nodes/c/code',
        detail:
          "expected JavaScript: line 1, column 9: Unexpected token '{'; it has no templates, pass values through `input`",
      },
    ]);
  });

  test.each([
    [{ code: '' }, '/nodes/c/code'],
    [{ code: ' '.repeat(limits.codeChars + 1) }, '/nodes/c/code'],
    [{ code: 'return 1', timeout_ms: 0 }, '/nodes/c/timeout_ms'],
    [{ code: 'return 1', timeout_ms: 1001 }, '/nodes/c/timeout_ms'],
  ])('%j', (fields, pointer) => {
    expect(check(fields)).toEqual([{ pointer, detail: expect.any(String) }]);
  });
});
