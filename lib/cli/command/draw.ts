// `agent-flow draw`: a picture of a flow, or of a run of it.
import { Command } from '@commander-js/extra-typings';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { flowArgument, jsonOption } from '../options.ts';
import { printJson } from '../print.ts';
import { writeResult } from '../write-result.ts';

export const drawPicture = () =>
  new Command('draw')
    .summary('draw a flow as SVG')
    .description('Writes a picture of a flow as SVG, with the path of a run if there is its log.')
    .argument(...flowArgument)
    .option('--log <result.json>', 'show the path of this run, as `run --log` writes it')
    .option('-o, --out <file>', 'write to this file (default: stdout)')
    .option(...jsonOption)
    .action(async (file, { log, out, json = false }) => {
      const { readCheckedFlow } = await import('../read-flow.ts');
      const { draw } = await import('#lib/drawing/draw.ts');
      const flow = await readCheckedFlow(file, json);
      const svg = await draw(flow, log === undefined ? undefined : await readLog(log, flow, file));
      if (!json || out !== undefined) await writeResult(svg, out);
      if (json) printJson(out === undefined ? { svg } : { out });
    });

async function readLog(path: string, flow: Flow, file: string) {
  const { findUnknownNode } = await import('#lib/drawing/executed-path.ts');
  const { runLog } = await import('#lib/drawing/run-log.ts');
  const { buildGraph } = await import('#lib/drawing/graph.ts');
  const { readJsonFile } = await import('../read-document.ts');
  const log = runLog.safeParse(await readJsonFile(path));
  if (!log.success) throw new Error(`${path} is not the result of a run: expected {logs: […]}.`);
  const unknownNode = findUnknownNode(buildGraph(flow), log.data);
  if (unknownNode === undefined) return log.data;
  throw new Error(
    `${path} is the log of another flow: it has a node "${unknownNode}", which ${file} does not have.`,
  );
}
