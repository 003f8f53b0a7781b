// Runs maps of the sizes that are given as arguments, in turns, and prints for each what an item costs and the largest
// snapshot, divided by the items. An item gives its number, since the output of a map has at most 200 KB.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { cpuMicros } from './measure.ts';

const repetitions = 5;
/** Snapshots are looked at so many times in a run: to print each would take most of the time. */
const looks = 50;

const maps = process.argv
  .slice(2)
  .map(Number)
  .map((size) => ({ size, flow: compileMap(size) }));
for (const { flow } of maps) await run(flow, async () => {});
const costs = maps.map((): number[] => []);
for (let n = 0; n < repetitions; n += 1)
  for (const [at, { size, flow }] of maps.entries())
    costs[at]?.push((await cpuMicros(() => run(flow, async () => {}))) / size);

const printed = [];
for (const [at, { size, flow }] of maps.entries()) {
  const cpuMicrosPerItem = costs[at]?.sort((a, b) => a - b)[Math.floor(repetitions / 2)];
  printed.push({ cpuMicrosPerItem, snapshotBytesPerItem: (await findLargestSnapshot(size, flow)) / size });
}
console.log(JSON.stringify(printed));

async function findLargestSnapshot(size: number, flow: CompiledFlow): Promise<number> {
  let [count, largest] = [0, 0];
  const every = Math.ceil(size / looks);
  await run(flow, async (snapshot) => {
    count += 1;
    if (count % every === 0) largest = Math.max(largest, Buffer.byteLength(JSON.stringify(snapshot)));
  });
  return largest;
}

function compileMap(size: number): CompiledFlow {
  const give = { type: 'transform', output: '{{ item }}' };
  const items = Array.from({ length: size }, (_, n) => n);
  const nodes = { each: { type: 'map', items, body: { start: 'give', nodes: { give } } } };
  const checked = checkFlow({
    ...{ version: 1, name: 'Map', limits: { max_steps: limits.stepsMax }, start: 'each', nodes },
  });
  if (checked.ok) return compileFlow(checked.flow);
  throw new Error(JSON.stringify(checked.errors));
}

async function run(flow: CompiledFlow, checkpoint: Ports['checkpoint']): Promise<void> {
  const outcome = await runFlow(flow, {
    runId: 'run-1',
    input: { message: '', user_variables: {} },
    startedAt: Date.now(),
    signal: new AbortController().signal,
    ports: { model: unused, http: unused, clock, checkpoint, log: () => {}, reply: unused },
  });
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
}

function unused(): never {
  throw new Error('No node of the flow calls this port.');
}
