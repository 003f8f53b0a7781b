// What a map of a thousand items holds of the heap at most while it runs, beyond what the process holds
// without it. Each item takes 190 KB on its way and gives a number. Needs `--expose-gc`, so that garbage does
// not count.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { clock } from '#lib/run/compute/clock.ts';

const itemBytes = 190 * 1024;
/** Collecting the garbage at every one would take minutes. */
const snapshotsPerLook = 50;

const flow = compiled();
await run(async () => {});
const before = heapUsed();
let [snapshots, peak] = [0, 0];
await run(async () => {
  if (++snapshots % snapshotsPerLook === 0) peak = Math.max(peak, heapUsed());
});
console.log(JSON.stringify({ mebibytes: (peak - before) / 1024 ** 2 }));

function compiled(): CompiledFlow {
  const load = { type: 'http', url: 'https://api.example.com/{{ index }}', next: 'give' };
  const body = { start: 'load', nodes: { load, give: { type: 'transform', output: '{{ index }}' } } };
  const items = Array.from({ length: 1000 }, (_, n) => n);
  const checked = checkFlow({
    version: 1,
    name: 'Map',
    egress: ['api.example.com'],
    limits: { max_steps: limits.stepsMax },
    start: 'each',
    nodes: { each: { type: 'map', items, body } },
  });
  if (checked.ok) return compileFlow(checked.flow);
  throw new Error(JSON.stringify(checked.errors));
}

async function run(checkpoint: Ports['checkpoint']): Promise<void> {
  const outcome = await runFlow(flow, {
    runId: 'run-1',
    input: { message: '', user_variables: {} },
    startedAt: Date.now(),
    signal: new AbortController().signal,
    ports: {
      model: unused,
      // One flat text for each item, so that none shares its memory with another.
      http: async ({ url }) => ({ status: 200, headers: {}, body: Buffer.alloc(itemBytes, url).toString() }),
      clock,
      checkpoint,
      log: () => {},
      reply: unused,
    },
  });
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
}

function heapUsed(): number {
  if (!globalThis.gc) throw new Error('Expected --expose-gc.');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function unused(): never {
  throw new Error('No node of the flow calls this port.');
}
