// Draws a flow as SVG and, if there is the log of a run, marks the path that the run took.
import type { Flow } from '#lib/flow/definition/flow.ts';
import { describeExecutions, findExecutedPath, type LogEntries } from './executed-path.ts';
import { buildGraph } from './graph.ts';
import { layOut } from './layout.ts';
import { renderSvg } from './svg.ts';

export async function draw(flow: Flow, log?: LogEntries): Promise<string> {
  const graph = buildGraph(flow);
  const path = log && findExecutedPath(graph, log);
  return renderSvg(await layOut(graph, path && describeExecutions(path)), flow.name, path);
}
