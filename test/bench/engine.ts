// The overhead of the engine for each node of a graph, compared with LangGraph.js and a plain loop, each in a
// separate process, in turns.
import * as z from 'zod';
import { limits } from '#lib/flow/format/limits.ts';
import { printedBy } from '#test/support/printed-by.ts';
import { type GraphName, graphs } from './graphs.ts';
import { type Measured, type Mode, measured, modes } from './measure.ts';
import { installPeers } from './peers.ts';
import { type Row, toFigure } from './row.ts';

const repetitions = 5;

const scripts = {
  ours: new URL('subject-ours.ts', import.meta.url),
  peer: new URL('peers/langgraph.mjs', import.meta.url),
  limit: new URL('subject-loop.ts', import.meta.url),
};
type Side = keyof typeof scripts;
type Runs = readonly (readonly [Side, readonly Measured[]])[];

const ratioMin = 8;
/** Where we evaluate an expression that is more than a path, and the peer runs a JavaScript function. */
const expressionRatioMin = 4;

export async function engineRows(): Promise<Row[]> {
  await installPeers();
  const runs = await inTurns();
  return [...graphs.flatMap(({ name }) => modes.map((mode) => toRow(runs, name, mode))), await heapRow()];
}

/** Eight items of 190 KB run at once; the size of a run's values is limited too. */
async function heapRow(): Promise<Row> {
  const script = new URL('subject-heap.ts', import.meta.url);
  const held: number[] = [];
  for (let n = 0; n < repetitions; n++) {
    const printed = await printedBy(script, { nodeArgs: ['--expose-gc'] });
    held.push(z.object({ mebibytes: z.number() }).parse(printed).mebibytes);
  }
  const budget = limits.snapshotBytes / 1024 ** 2;
  return { what: 'heap held by a map of 1,000 items', unit: 'MiB', ours: toFigure(held), budget };
}

/** In turns, so that other work of the machine affects all sides. */
async function inTurns(): Promise<Runs> {
  const runs: [Side, Measured[]][] = [];
  for (let n = 0; n < repetitions; n++) {
    for (const side of ['ours', 'peer', 'limit'] as const) {
      runs.push([side, z.array(measured).parse(await printedBy(scripts[side]))]);
    }
  }
  return runs;
}

function toRow(runs: Runs, graph: GraphName, mode: Mode): Row {
  const figure = (side: Side) =>
    toFigure(
      runs
        .filter(([whose]) => whose === side)
        .flatMap(([, results]) => results)
        .filter((result) => result.graph === graph && result.mode === mode)
        .map(({ cpuMicrosPerNode }) => cpuMicrosPerNode),
    );
  return {
    what: mode === 'snapshot' ? `${graph}, with snapshots` : graph,
    unit: 'µs/node',
    ours: figure('ours'),
    peer: figure('peer'),
    limit: figure('limit'),
    ratioMin: graph === 'counting loop' ? expressionRatioMin : ratioMin,
  };
}
