// Maps over as many items as there may be: they end, resume from any snapshot with the same result, and what is
// stored for an item does not grow with their number.
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type Outcome, type RunOptions, runFlow } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { driven } from '../driven.ts';
import { checkedFlow, emptyInput, httpAnswer, runNodes, scripted, startedAt } from '../scripted.ts';

const items = (count: number) => Array.from({ length: count }, (_, n) => n);
const twice = {
  type: 'transform',
  output: '{{ item }}',
  assign: { sum: '{{ state.sum + item }}' },
  next: 'give',
};
const flowOf = (count: number) =>
  checkedFlow(
    {
      each: {
        type: 'map',
        items: items(count),
        body: { start: 'twice', nodes: { twice, give: { type: 'transform', output: '{{ index % 10 }}' } } },
        merge: { sum: 'sum' },
        next: 'done',
      },
      done: {
        type: 'end',
        output: { sum: '{{ state.sum }}', last: '{{ nodes.each[-1] }}', count: '{{ $count(nodes.each) }}' },
      },
    },
    { state: { sum: 0 }, limits: { max_steps: limits.stepsMax } },
  );

interface Ran {
  readonly outcome: Outcome;
  /** Of the snapshots: how many results each has, and its bytes. */
  readonly results: readonly number[];
  readonly bytes: readonly number[];
  readonly steps: number;
}

/** The snapshots are written and forgotten. */
async function ran(count: number): Promise<Ran> {
  const [results, bytes]: [number[], number[]] = [[], []];
  const used = { steps: 0 };
  const outcome = await begun(flowOf(count), {
    checkpoint: async (taken) => {
      results.push(Object.keys(taken.entered?.done ?? {}).length);
      bytes.push(JSON.stringify(taken).length);
    },
    onUsed: (budget) => Object.defineProperty(used, 'steps', { get: () => budget.steps }),
  });
  return { outcome, results, bytes, steps: used.steps };
}

const begun = async (
  flow: Flow,
  { checkpoint, ...options }: Pick<Ports, 'checkpoint'> & Pick<RunOptions, 'onUsed' | 'snapshot'>,
) =>
  await runFlow(compileFlow(flow), {
    runId: 'run-1',
    input: emptyInput,
    startedAt,
    signal: new AbortController().signal,
    ports: { ...scripted().ports, checkpoint },
    ...options,
  });

const crashed = new Error('The process has ended.');

/**
 * A run whose process ends after each of these snapshots, counted over all of its processes, and once more after the
 * last one of the run. What a process does after its last snapshot is lost.
 */
async function interrupted(count: number, after: readonly number[]) {
  const flow = flowOf(count);
  const left = [...after];
  let [taken, text]: [number, string | undefined] = [0, undefined];
  for (let processes = 1; ; processes++) {
    const snapshot: Snapshot | undefined = text === undefined ? undefined : JSON.parse(text);
    const checkpoint = async (next: Snapshot) => {
      if (taken === left[0]) throw crashed;
      taken++;
      text = JSON.stringify(next);
    };
    try {
      const outcome = await begun(flow, { checkpoint, ...(snapshot && { snapshot }) });
      if (left.length > 0) throw new Error(`The run has only ${taken} snapshots.`);
      const last: Snapshot = JSON.parse(text ?? '');
      return { outcome, again: await begun(flow, { checkpoint, snapshot: last }), processes };
    } catch (error) {
      if (error !== crashed) throw error;
      left.shift();
    }
  }
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const count = limits.mapItemsMax;
const expected = { status: 'completed', response: { sum: (count * (count - 1)) / 2, last: 9, count } };

describe('a map of 10,000 items', () => {
  let whole: Ran;
  beforeAll(async () => {
    whole = await ran(count);
  });

  test('ends', () => {
    expect(whole.outcome).toMatchObject(expected);
    expect(whole.steps).toBe(2 * count + 2);
  });

  test('ends with the same result if its process ends again and again, first to last', async () => {
    const windows = Array.from({ length: Math.ceil(whole.bytes.length / 50) }, (_, n) => 1 + 50 * n);
    const { outcome, again, processes } = await interrupted(count, windows);
    expect(outcome).toEqual(whole.outcome);
    expect(again).toEqual(whole.outcome);
    expect(processes).toBe(windows.length + 1);
    expect(processes).toBeGreaterThan(15);
  });

  test('stores no more for an item than a map of 1,000 items', async () => {
    const few = await ran(1_000);
    const ratio = total(whole.bytes) / count / (total(few.bytes) / 1_000);
    expect(ratio).toBeLessThan(1.5);
    expect(Math.max(...whole.bytes)).toBeLessThan(limits.snapshotBytes / 8);
  });

  test('repeats after a crash at most about 1 % of the items that have ended', () => {
    const { results } = whole;
    for (const [index, before] of results.entries()) {
      const next = results[index + 1] ?? before;
      const isWithin = next - before <= before / limits.resultsPerSnapshot + limits.concurrencyDefault;
      expect(isWithin || next === 0, `${before} results, then ${next}`).toBe(true);
    }
  });
});

test('a map of some hundred items that is handed on at every snapshot ends as it would have', async () => {
  const { outcome, invocations } = await driven(flowOf(400), {}, { isHasty: true });
  expect(invocations.length).toBeGreaterThan(50);
  expect(outcome).toMatchObject({ response: { sum: (400 * 399) / 2, count: 400 } });
});

describe('outputs that are too large together', () => {
  const egress = ['api.example.com'];
  const load = { type: 'http', url: 'https://api.example.com/{{ index }}', response: 'text' };
  const loaded = async (onError: string, failing: readonly number[], more: object = {}) =>
    await runNodes(
      {
        each: {
          type: 'map',
          items: items(5_000),
          body: { start: 'load', nodes: { load } },
          on_error: onError,
          ...more,
        },
      },
      {
        http: ({ url }) => httpAnswer(failing.includes(Number(url.slice(24))) ? 404 : 200, 'x'.repeat(2_000)),
      },
      { flow: { egress, limits: { max_steps: limits.stepsMax } } },
    );
  /** Of which 200 KB have room. */
  const outputsMax = 102;

  test.each(['fail', 'collect', 'skip'])(
    'fail the node before the other items begin: on_error %s',
    async (onError) => {
      const { outcome, requests } = await loaded(onError, []);
      expect(outcome).toMatchObject({
        error: {
          code: 'value.too_large',
          node_id: 'each',
          message: `nodes.each: expected at most ${limits.variableBytes} bytes of JSON.`,
        },
      });
      expect(requests.length).toBeLessThanOrEqual(outputsMax + limits.concurrencyDefault);
    },
  );

  test.each([
    [20, 'http.404'],
    [90, 'http.404'],
    [108, 'value.too_large'],
    [4_000, 'value.too_large'],
  ])('or the item %i that fails before them in order: %s', async (index, code) => {
    for (const max_concurrency of [1, 8, 50]) {
      const { outcome } = await loaded('fail', [index], { max_concurrency });
      expect(outcome).toMatchObject({ error: { code } });
    }
  });
});

test('the errors of items count among the values of a run', async () => {
  const nodes = {
    each: {
      type: 'map',
      items: items(2_000),
      on_error: 'skip',
      body: { start: 'wrong', nodes: { wrong: { type: 'fail', message: '{{ $pad("", 3000, "x") }}' } } },
    },
  };
  const { outcome } = await runNodes(nodes, {}, { flow: { limits: { max_steps: limits.stepsMax } } });
  expect(outcome).toMatchObject({ error: { code: 'limit.snapshot' } });
});
