// The thread that evaluates: what stops it, and that its outcomes are those of an evaluation in place.
import { expect, test } from 'vitest';
import { runTask } from '#lib/flow/engine/compute-task.ts';
import type { ComputeTask } from '#lib/flow/expression/compute.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { createThread } from '#lib/run/compute/thread.ts';
import { startedAt } from '../../flow/scripted.ts';

const newScope = (state: Record<string, Json>) => ({
  ...{ input: {}, state, env: {}, nodes: {} },
  run: { id: 'run-1', started_at: new Date(startedAt).toISOString(), turn: 1 },
});
const expressionTask = (source: string, state: Record<string, Json> = {}): ComputeTask => ({
  kind: 'expression',
  source,
  scope: newScope(state),
});
const valueTask = (value: Json): ComputeTask => ({ kind: 'schema', schema: {}, value });
/**
 * Which of its two bounds ends an endless expression is a matter of the machine, so of errors that is all.
 */
const outcome = async (promise: Promise<Json>) => await promise.catch(({ code }) => ({ code }));

const stubborn = (cpuMsMax: number) =>
  createThread({ entry: new URL('endless-thread.ts', import.meta.url), cpuMsMax });

const list = Array.from({ length: limits.sequenceItemsMax }, (_, id) => ({ id, k: 'x' }));

test('the outcome in the worker thread equals that on the shared thread', async () => {
  const thread = createThread();
  const tasks: readonly ComputeTask[] = [
    expressionTask('1 + 1'),
    expressionTask('$now() & $millis()'),
    expressionTask('state.missing'),
    expressionTask('{"__proto__": 1, "b": [state.n, null]}', { n: 1.5 }),
    expressionTask('$count(state.list[id > 5 and k = "x"])', { list }),
    expressionTask('($f := function(){ $f() }; $f())'),
    expressionTask('($f := function($n){ 1 + $f($n) }; $f(1))'),
    expressionTask('$error("No.")'),
    expressionTask('$match($pad("", 200000, "a"), /((a|b)(c|d)?){90}/)'),
    expressionTask('1 +'),
    { kind: 'schema', schema: { type: 'string', pattern: '^a' }, value: 1 },
    { kind: 'schema', schema: { items: { required: ['id', 'z'] } }, value: list },
    { kind: 'schema', schema: { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, value: 1 },
  ];
  for (const task of tasks)
    expect(await outcome(thread.run(task))).toEqual(await outcome(runTask(task, clock.cpuMs)));
});

test('an endless evaluation is terminated with its thread, and the next one has a new thread', async () => {
  const thread = stubborn(50);
  expect(await thread.run(valueTask('first'))).toBe('first');
  await expect(thread.run(valueTask('for ever'))).rejects.toMatchObject({ code: 'schema.too_complex' });
  expect(await thread.run(valueTask('next'))).toBe('next');
  await expect(
    thread.run({ kind: 'expression', source: 'state', scope: newScope({}), ...{ value: 'for ever' } }),
  ).rejects.toMatchObject({ code: 'expression.timeout', message: expect.stringContaining('{{ state }}') });
});

test('an evaluation that fills the memory ends its thread and not the process', async () => {
  const thread = stubborn(Number.POSITIVE_INFINITY);
  await expect(thread.run(valueTask('fills the memory'))).rejects.toMatchObject({
    code: 'schema.too_complex',
  });
  expect(await thread.run(valueTask('next'))).toBe('next');
});

test('a thread that exits unexpectedly fails only its evaluation', async () => {
  const thread = stubborn(1_000);
  await expect(thread.run(valueTask('ends'))).rejects.toThrow('has ended');
  expect(await thread.run(valueTask('next'))).toBe('next');
});

test('the shared thread is not blocked while an evaluation runs', async () => {
  const thread = createThread();
  await thread.run(expressionTask('1'));
  let turns = 0;
  let isOver = false;
  const running = thread.run(expressionTask('($f := function(){ $f() }; $f())')).catch(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    turns += 1;
  }
  await running;
  // 300 000 steps take more than 100 ms of CPU time on any machine; in place, the loop would have had one
  // turn.
  expect(turns).toBeGreaterThan(10);
});

test('a scope that cannot be cloned fails only its evaluation', async () => {
  const thread = createThread();
  const odd = {
    ...newScope({}),
    state: {
      get value(): never {
        throw new Error('No.');
      },
    },
  };
  await expect(thread.run({ kind: 'expression', source: '1', scope: odd })).rejects.toThrow('No.');
  expect(await thread.run(expressionTask('1'))).toEqual({ value: 1, kept: 0 });
});
