// Measures CPU time within the process of a subject: of any call for `triggers.ts`, and of graph runs,
// printed as one line of JSON for `engine.ts`.
import * as z from 'zod';
import { type GraphName, graphs } from './graphs.ts';

/** Runs one graph once and resolves to its result, which must be the expected one. */
export type GraphRun = () => Promise<unknown>;
export type Subject = Readonly<Record<GraphName, Readonly<Record<Mode, GraphRun>>>>;
export type Mode = 'plain' | 'snapshot';

export const modes: readonly Mode[] = ['plain', 'snapshot'];

export const measured = z.object({
  graph: z.string(),
  mode: z.enum(['plain', 'snapshot']),
  /** CPU time of the whole process, including garbage collection and compilation. */
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
  // All are warmed up before the first is measured, so that their order does not matter.
  for (const { graph, run } of cells) await warmUpGraph(graph.name, graph.result, run);
  const results: Measured[] = [];
  for (const { graph, mode, run } of cells) {
    const { cpuMicros, wallMicros } = await measureCost(run);
    const [cpuMicrosPerNode, wallMicrosPerNode] = [cpuMicros / graph.nodes, wallMicros / graph.nodes];
    results.push({ graph: graph.name, mode, cpuMicrosPerNode, wallMicrosPerNode });
  }
  console.log(JSON.stringify(results));
}

async function warmUpGraph(name: string, expected: object, run: GraphRun): Promise<void> {
  const [wanted, got] = [JSON.stringify(expected), JSON.stringify(await warmUp(run))];
  // A subject must return the expected result.
  if (got !== wanted) throw new Error(`${name}: expected ${wanted}, got ${got}.`);
}

/** Resolves to the last result. */
export async function warmUp<T>(run: () => Promise<T>, ms = warmUpMs): Promise<T> {
  const end = performance.now() + ms;
  let result = await run();
  for (let n = 0; n < 5 || performance.now() < end; n++) result = await run();
  return result;
}

export const cost = z.object({ cpuMicros: z.number(), wallMicros: z.number() });
export type Cost = z.infer<typeof cost>;

/** The cost of one run, as the average of as many runs as take `ms`. */
export async function measureCost(run: () => Promise<unknown>, ms = measuringMs): Promise<Cost> {
  const runs = await runsIn(ms, run);
  const wall = performance.now();
  const cpu = process.cpuUsage();
  for (let n = 0; n < runs; n++) await run();
  const { user, system } = process.cpuUsage(cpu);
  const wallMicros = (performance.now() - wall) * 1_000;
  return { cpuMicros: (user + system) / runs, wallMicros: wallMicros / runs };
}

/** The CPU time of a single run. A short run can hardly be distinguished from other work of the process. */
export async function cpuMicros(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The number of runs that take `ms`. */
async function runsIn(ms: number, run: () => Promise<unknown>): Promise<number> {
  let runs = 1;
  for (;;) {
    const start = performance.now();
    for (let n = 0; n < runs; n++) await run();
    const took = performance.now() - start;
    if (took >= ms / 10) return Math.max(1, Math.round((runs * ms) / took));
    runs *= 4;
  }
}
