// The steps of an evaluation end it, not the time that the machine takes.
import { describe, expect, test } from 'vitest';
import { template } from '#lib/flow/expression/template.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json } from '#lib/json/json.ts';
import { printedBy } from '#test/support/printed-by.ts';
import { evaluate, startedAt, timeless, unhurried } from '../scripted.ts';

/** A variable of the state that does something each time it is read. */
const reading = (read: () => Json) => ({
  state: {
    get value() {
      return read();
    },
  },
});

const scope = {
  ...{ input: {}, state: {}, env: {}, nodes: {} },
  run: { id: 'run-1', started_at: new Date(startedAt).toISOString(), turn: 1 },
};
const endless = '{{ ($f := function(){ $f() }; $f()) }}';
const tooLong = { code: 'expression.timeout' };

test('a process that is stopped in the middle of an evaluation completes it afterwards', async () => {
  const stalled = reading(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return 1;
  });
  expect(await evaluate('{{ $sum([1..99].($ * 2)) + state.value + $sum([1..99]) }}', stalled)).toBe(14_851);
});

describe('an endless evaluation', () => {
  const loop = '{{ ($f := function(){ ($lookup(state, "value"); $f()) }; $f()) }}';

  /**
   * How often it reads a variable before it is ended, on a machine that takes so much CPU time from one
   * reading to the next.
   */
  async function readsOn(msPerRead: number): Promise<number> {
    let reads = 0;
    const counting = reading(() => reads++);
    await expect(evaluate(loop, counting, () => reads * msPerRead)).rejects.toMatchObject(tooLong);
    return reads;
  }

  test('ends at the same step on every machine', async () => {
    const reads = await readsOn(0);
    expect(reads).toBeGreaterThan(limits.expressionStepsMax / 20);
    expect(await readsOn((0.9 * limits.expressionCpuMs) / reads)).toBe(reads);
  });

  test('ends by its CPU time if steps take several times as long as usual', async () => {
    const reads = await readsOn(0.1);
    expect(reads * 0.1).toBeGreaterThan(limits.expressionCpuMs);
    expect(reads * 0.1).toBeLessThan(limits.expressionCpuMs * 1.1);
  });
});

test.each([
  ['filtered by two conditions', '$count(state.list[a.b.c[0] > 5 and k = "x"])', limits.sequenceItemsMax],
  ['made into objects', '$count(state.list.{"id": id, "k": k, "t": t})', limits.sequenceItemsMax],
  [
    'made into objects by functions',
    '$count($map(state.list, function($one){ {"id": $string($one.id), "k": $uppercase($one.k), "t": $one.t & "!"} }))',
    limits.sequenceItemsMax,
  ],
])('the longest list can be %s', async (_what, source, count) => {
  const item = { a: { b: { c: [9] } }, k: 'x', t: 'y' };
  const list = Array.from({ length: limits.sequenceItemsMax }, (_, id) => ({ ...item, id }));
  expect(await evaluate(`{{ ${source} }}`, { state: { list } }, timeless)).toBe(count);
});

test('the step limit ends an evaluation even if the CPU clock does not advance', async () => {
  const at = { scope, ...unhurried(), cpuMs: timeless };
  await expect(template(endless)(at)).rejects.toMatchObject(tooLong);
});

test.each([
  ['steps', '{{ [1..99].($ * 2) }}'],
  ['matches of a regular expression', '{{ $match("a a a", /a/) }}'],
])('CPU time ends an evaluation whose %s take long', async (_what, source) => {
  let cpuMs = 0;
  const slow = () => {
    cpuMs += limits.expressionCpuMs / 2;
    return cpuMs;
  };
  const at = { scope, ...unhurried(), cpuMs: slow };
  await expect(template(source)(at)).rejects.toMatchObject(tooLong);
});

test('an evaluation that has failed executes no further steps', async () => {
  let reads = 0;
  const counting = reading(() => reads++);
  const rest = '($f := function(){ ($lookup(state, "value"); $f()) }; $f())';
  await expect(evaluate(`{{ {"a": $error("No."), "b": ${rest}} }}`, counting)).rejects.toMatchObject({
    code: 'expression.error',
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBeLessThan(10);
});

test('intermediate results of functions are limited in memory, even if they take few steps', async () => {
  // MB. Without a bound the first of them takes more than 1000.
  const nodeArgs = ['--max-old-space-size=150'];
  const codes = await printedBy(new URL('hungry-process.ts', import.meta.url), { nodeArgs });
  expect(codes).toEqual(Array(10).fill('expression.too_large'));
});
