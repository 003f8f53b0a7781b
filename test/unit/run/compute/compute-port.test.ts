import { expect, test } from 'vitest';
import type { ComputePort, ComputeTask } from '#lib/flow/expression/compute.ts';
import { createComputing } from '#lib/run/compute/compute-port.ts';
import { runNodes } from '../../flow/scripted.ts';

const task = (value: string): ComputeTask => ({ kind: 'schema', schema: {}, value });
const nameOf = (given: ComputeTask) => (given.kind === 'schema' ? String(given.value) : given.source);

/** Each evaluation takes until the test says so. */
function heldThread() {
  const begun: string[] = [];
  let release: (value: string) => void = () => {};
  const port = createComputing(async () => ({
    run: (given) => {
      begun.push(nameOf(given));
      return new Promise((resolve) => {
        release = resolve;
      });
    },
  }));
  const settle = async () => {
    release('done');
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, port, settle };
}

const signal = () => new AbortController().signal;

test('runs one evaluation at a time, and serves organisations in turn', async () => {
  const { begun, port, settle } = heldThread();
  const ends = ['evil 1', 'evil 2', 'evil 3'].map((name) => port('evil').runOnThread(task(name), signal()));
  ends.push(port('good').runOnThread(task('good 1'), signal()));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['evil 1']);
  for (let n = 0; n < ends.length; n += 1) await settle();
  expect(begun).toEqual(
    ['evil 1', 'good 1', 'evil 2', 'evil 3'].toSorted((a, b) => begun.indexOf(a) - begun.indexOf(b)),
  );
  expect(begun.indexOf('good 1')).toBeLessThanOrEqual(2);
  expect(await Promise.all(ends)).toEqual(Array(4).fill('done'));
});

test('a caller that stops waiting leaves the queue', async () => {
  const { begun, port, settle } = heldThread();
  const [first, leaving] = [new AbortController(), new AbortController()];
  const ended = port('org').runOnThread(task('first'), first.signal);
  const left = port('org').runOnThread(task('leaving'), leaving.signal);
  leaving.abort(new Error('It left.'));
  await expect(left).rejects.toThrow('It left.');
  await expect(port('org').runOnThread(task('late'), AbortSignal.abort(new Error('Late.')))).rejects.toThrow(
    'Late.',
  );
  await new Promise((resolve) => setImmediate(resolve));
  await settle();
  await ended;
  expect(begun).toEqual(['first']);
});

test('a thread that cannot start fails the waiting evaluations, and the next one retries the start', async () => {
  let tries = 0;
  const port = createComputing(async () => {
    tries += 1;
    if (tries === 1) throw new Error('No thread.');
    return { run: async () => 'done' };
  });
  await expect(port('org').runOnThread(task('first'), signal())).rejects.toThrow('No thread.');
  expect(await port('org').runOnThread(task('second'), signal())).toBe('done');
});

/** Every evaluation that leaves the shared thread, by name. */
function watched(allowance: () => ReturnType<ComputePort['allowance']>) {
  const left: string[] = [];
  const port: ComputePort = {
    allowance,
    runOnThread: async (given) => {
      left.push(nameOf(given));
      return given.kind === 'schema' ? [] : { value: 'elsewhere', kept: 0 };
    },
  };
  return { left, port };
}

const withAllowance = () => {
  let spent = 0;
  const spend = (cpuMs: number) => {
    spent += cpuMs;
  };
  return { ...watched(() => ({ cpuMs: 1_000, spend })), spent: () => spent };
};

const outcomeOf = async (source: string, port: ComputePort, state = {}) => {
  const nodes = {
    make: { type: 'transform', output: { value: source }, next: 'done' },
    done: { type: 'end', output: { value: '{{ nodes.make.value }}' } },
  };
  const { outcome } = await runNodes(nodes, { compute: port }, { flow: { state } });
  return outcome;
};

test.each([
  ['a sum', '{{ state.n + 1 }}'],
  ['a text', 'The order {{ state.n }} of {{ $uppercase(state.name) }}'],
  ['a filter of a hundred items', '{{ $count(state.list[id > 5 and k = "x"]) }}'],
  ['a pattern', '{{ $contains(state.name, /^[A-Z][a-z]+$/) }}'],
])('usual evaluations of flows stay on the shared thread: %s', async (_what, source) => {
  const { left, port, spent } = withAllowance();
  const list = Array.from({ length: 100 }, (_, id) => ({ id, k: 'x' }));
  const outcome = await outcomeOf(source, port, { n: 1, name: 'Ada', list });
  expect(outcome.status).toBe('completed');
  expect(left).toEqual([]);
  expect(spent()).toBeGreaterThanOrEqual(0);
});

test.each([
  ['endless recursion', '($f := function(){ $f() }; $f())'],
  ['a long list', '$sum([1..9999].($ * 2))'],
  ['a long match', '$match($pad("", 200000, "a"), /((a|b)(c|d)?)*e/)'],
  ['a long source', `"${'a'.repeat(2_500)}"`],
])('an evaluation beyond its allowance moves to the worker thread: %s', async (_what, source) => {
  const { left, port } = withAllowance();
  const outcome = await outcomeOf(`{{ ${source} }}`, port);
  expect(left).toEqual([source]);
  expect(outcome).toMatchObject({ status: 'completed', response: { value: 'elsewhere' } });
});

test('if an organisation has used up its allowance, only plain paths are evaluated on the shared thread', async () => {
  const { left, port } = watched(() => undefined);
  expect(await outcomeOf('{{ state.n }}', port, { n: 7 })).toMatchObject({ response: { value: 7 } });
  expect(left).toEqual([]);
  expect(await outcomeOf('{{ state.n + 1 }}', port, { n: 7 })).toMatchObject({
    response: { value: 'elsewhere' },
  });
  expect(left).toEqual(['state.n + 1']);
});
