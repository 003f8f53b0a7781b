// Measures CPU time inside a subject's own process: of any call for `triggers.ts`, and of graph runs, printed as one line of JSON for `engine.ts`.
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
  // A subject that does not do the work must not win.
  if (got !== wanted) throw new Error(`${name}: expected ${wanted}, got ${got}.`);
}

/** Gives the last result. */
export async function warmUp<T>(run: () => Promise<T>, ms = warmUpMs): Promise<T> {
  const end = performance.now() + ms;
  let result = await run();
  for (let n = 0; n < 5 || performance.now() < end; n++) result = await run();
  return result;
}

export const cost = z.object({ cpuMicros: z.number(), wallMicros: z.number() });
export type Cost = z.infer<typeof cost>;

/** Of one run, when as many follow each other as take so long. */
export async function measureCost(run: () => Promise<unknown>, ms = measuringMs): Promise<Cost> {
  const runs = await runsIn(ms, run);
  const wall = performance.now();
  const cpu = process.cpuUsage();
  for (let n = 0; n < runs; n++) await run();
  const { user, system } = process.cpuUsage(cpu);
  const wallMicros = (performance.now() - wall) * 1_000;
  return { cpuMicros: (user + system) / runs, wallMicros: wallMicros / runs };
}

/** Of one run, which may be too short for `measureCost` to be told apart from what runs beside it. */
export async function cpuMicros(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** How often it runs in so many ms. */
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
