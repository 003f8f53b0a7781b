// What a `code` node costs beside the run: the evaluation of a small call and of a sum over 1,000 objects, in a process
// that has served calls before; and how long the first call of a process takes.
import type { CodeCall } from '#lib/code/code-call.ts';
import { createCodeThread, type EvaluateCode } from '#lib/code/thread.ts';
import { measureCost, warmUp } from './measure.ts';
import { type Row, toFigure } from './row.ts';

const repetitions = 9;

const items = Array.from({ length: 1000 }, (_, id) => ({ id, price: id / 10, name: `item ${id}` }));
const limits = { now: 0, seed: 'bench', timeoutMs: 1000 };
const small = { ...limits, code: 'return input.a + 1;', input: '{"a":1}' };
const large = {
  ...limits,
  code: 'let sum = 0;\nfor (const { price } of input) sum += price;\nreturn { sum };',
  input: JSON.stringify(items),
};

export async function codeRows(): Promise<Row[]> {
  const evaluate = createCodeThread();
  return [
    ...(await measure('a call of code', evaluate, small)),
    ...(await measure('code that adds up 1,000 objects', evaluate, large)),
    await firstCall(),
  ];
}

/** From the event to the outcome: CPU time of all threads, and the time that passes. */
async function measure(what: string, evaluate: EvaluateCode, call: CodeCall): Promise<Row[]> {
  const run = async () => requireOutput(await evaluate(call));
  await warmUp(run);
  const costs = [];
  for (let n = 0; n < repetitions; n += 1) costs.push(await measureCost(run));
  const cpu = toFigure(costs.map(({ cpuMicros }) => cpuMicros / 1_000));
  const wall = toFigure(costs.map(({ wallMicros }) => wallMicros / 1_000));
  return [
    { what: `${what}, CPU`, unit: 'ms', ours: cpu },
    { what: `${what}, time`, unit: 'ms', ours: wall },
  ];
}

/** Of a new thread: the interpreter is compiled once for a process. */
async function firstCall(): Promise<Row> {
  const times: number[] = [];
  for (let n = 0; n < repetitions; n += 1) {
    const startedAt = performance.now();
    requireOutput(await createCodeThread()(small));
    times.push(performance.now() - startedAt);
  }
  return { what: 'the first call of code, with its thread', unit: 'ms', ours: toFigure(times) };
}

function requireOutput(outcome: Awaited<ReturnType<EvaluateCode>>): void {
  if ('failure' in outcome) throw new Error(outcome.failure.message);
}
