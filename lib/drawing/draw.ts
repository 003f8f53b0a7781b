// A flow as a picture, with the way of one run in it if there is its log.
import type { Flow } from '#lib/flow/definition/flow.ts';
import { type LogEntries, notesOf, takenWay } from './executed-path.ts';
import { graphOf } from './graph.ts';
import { placed } from './layout.ts';
import { svgOf } from './svg.ts';

export async function draw(flow: Flow, log?: LogEntries): Promise<string> {
  const graph = graphOf(flow);
  const taken = log && takenWay(graph, log);
  return svgOf(await placed(graph, taken && notesOf(taken)), flow.name, taken);
}
