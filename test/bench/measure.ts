// Measures the CPU time of graph runs inside a subject's own process and prints it as one line of JSON, for `engine.ts` to read.
import * as z from 'zod';
import { type GraphName, graphs } from './graphs.ts';

/** Runs one graph once and gives its result, which must be the graph's expected one. */
export type GraphRun = () => Promise<unknown>;
export type Subject = Readonly<Record<GraphName, Readonly<Record<Mode, GraphRun>>>>;
export type Mode = 'plain' | 'snapshot';

export const modes: readonly Mode[] = ['plain', 'snapshot'];

export const measured = z.object({
  graph: z.string(),
  mode: z.enum(['plain', 'snapshot']),
  /** Of the whole process, so garbage collection and compilation on other threads count. */
  cpuMicrosPerNode: z.number(),
  wallMicrosPerNode: z.number(),
});
export type Measured = z.infer<typeof measured>;

const warmUpMs = 250;
const measuringMs = 200;

export async function measure(subject: Subject): Promise<void> {
  const cells = graphs.flatMap((graph) =>
    modes.map((mode) => ({ graph, mode, run: subject[graph.name][mode] })),
  );
  // All of them before the first is measured, so that none is better off for its place in the list.
  for (const { graph, run } of cells) await warmUp(graph.name, graph.result, run);
  const results: Measured[] = [];
  for (const { graph, mode, run } of cells)
    results.push({ graph: graph.name, mode, ...(await costOf(run, graph.nodes)) });
  console.log(JSON.stringify(results));
}

async function warmUp(name: string, expected: object, run: GraphRun): Promise<void> {
  const end = performance.now() + warmUpMs;
  let result = await run();
  for (let n = 0; n < 5 || performance.now() < end; n++) result = await run();
  const [wanted, got] = [JSON.stringify(expected), JSON.stringify(result)];
  // A subject that does not do the work must not win.
  if (got !== wanted) throw new Error(`${name}: expected ${wanted}, got ${got}.`);
}

async function costOf(run: GraphRun, nodes: number) {
  const runs = await runsIn(measuringMs, run);
  const wall = performance.now();
  const cpu = process.cpuUsage();
  for (let n = 0; n < runs; n++) await run();
  const { user, system } = process.cpuUsage(cpu);
  const wallMicros = (performance.now() - wall) * 1_000;
  const steps = runs * nodes;
  return { cpuMicrosPerNode: (user + system) / steps, wallMicrosPerNode: wallMicros / steps };
}

/** How often the graph runs in so many ms. */
async function runsIn(ms: number, run: GraphRun): Promise<number> {
  let runs = 1;
  for (;;) {
    const start = performance.now();
    for (let n = 0; n < runs; n++) await run();
    const took = performance.now() - start;
    if (took >= ms / 10) return Math.max(1, Math.round((runs * ms) / took));
    runs *= 4;
  }
}
