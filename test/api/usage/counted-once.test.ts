// Each call of a model counts once: whatever is repeated, lost or killed, the sums of the days are those of the runs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { totalUsage, type Usage } from '#lib/model/usage.ts';
import { appendEvent, readEvents, readRun } from '#lib/run/run-items.ts';
import { isFinal, type StoredRun } from '#lib/run/stored-run.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { randomFrom } from '#test/support/chaos/faults.ts';
import { seed } from '#test/support/seed.ts';
import { begunRun, readUsage, used } from '#test/support/usage.ts';

const random = randomFrom(seed);
const pick = <T>(...all: readonly [T, ...T[]]): T => all[Math.floor(random() * all.length)] ?? all[0];

let faultShare = 0;
let proxy: AwsProxy;
beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  proxy = await startAwsProxy(upstream, () =>
    random() < faultShare ? pick('lose answer', 'reset') : 'pass',
  );
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(async () => await proxy.close());

const days = ['2026-10-30', '2026-10-31', '2026-11-01'] as const;
const randomUsage = (): Usage[] =>
  Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    used({
      model: pick('test/small', 'test/large'),
      input: Math.floor(random() * 2_000),
      output: Math.floor(random() * 100),
      cost: Math.floor(random() * 1e6) / 1e8,
      ...(random() < 0.3 && { cached: 20 }),
    }),
  );

/** Writes events until the run ends, as a process would that dies now and then. */
async function execute(begun: StoredRun): Promise<void> {
  for (let events = 0; events < 8; events += 1) {
    const read = () => readRun(begun.run_id);
    // Three requests in a row are lost now and then.
    const current = await read().catch(read);
    if (!current || isFinal(current.status)) return;
    const event = {
      generation: current.generation + 1,
      at: `${pick(...days)}T12:00:00.000Z`,
      status: random() < 0.3 ? 'completed' : 'working',
      ...(random() < 0.8 && { usage: JSON.stringify(randomUsage()) }),
    } as const;
    const write = () => appendEvent({ run: current, event });
    // It dies before it has written, writes once, or it and another write the same; one that fails is sent again.
    const writers = pick(0, 1, 1, 2, 3);
    await Promise.allSettled(Array.from({ length: writers }, () => write().catch(write)));
  }
}

const readRunUsage = async ({ run_id }: StoredRun): Promise<Usage[]> =>
  (await readEvents(run_id)).flatMap(({ usage }): Usage[] => (usage === undefined ? [] : JSON.parse(usage)));

function sumRows(rows: Awaited<ReturnType<typeof readUsage>>) {
  const sum = (read: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + read(row), 0);
  return {
    calls: sum(({ calls }) => calls),
    input: sum(({ tokens }) => tokens.input),
    output: sum(({ tokens }) => tokens.output),
    cached: sum(({ tokens }) => tokens.cached),
    cost: sum(({ cost_estimate }) => cost_estimate).toFixed(8),
  };
}

async function expectEqualSums(caller: TestCaller, runs: readonly StoredRun[]): Promise<void> {
  const all = (await Promise.all(runs.map(readRunUsage))).flat();
  const { tokens, cost_estimate } = totalUsage(all);
  const { input, output, cached = 0 } = tokens;
  const expected = { calls: all.length, input, output, cached, cost: (cost_estimate ?? 0).toFixed(8) };
  expect(all.length).toBeGreaterThan(0);
  for (const query of [
    { by: 'day' },
    { by: 'month' },
    { by: 'day', group: 'flow' },
    { by: 'month', group: 'model' },
  ])
    expect(
      sumRows(await readUsage(caller, { from: '2026-10-01', to: '2026-11-30', ...query })),
      `seed ${seed}`,
    ).toEqual(expected);
}

test.each([
  ['answers and requests that are lost', 0.1],
  ['a calm network', 0],
])(
  'the sums of days are the sums of runs that are written at the same time, twice or not at all, with %s',
  async (_, faults) => {
    const caller = await newCaller();
    const runs = await Promise.all(
      Array.from({ length: 24 }, (_each, n) => begunRun(caller, { flowid: `flow_${n % 2}` })),
    );
    faultShare = faults;
    await Promise.all(runs.map(execute));
    faultShare = 0;
    await expectEqualSums(caller, runs);
  },
);
