// `agent-flow build`: a flow as the JSON that the service registers.
import { Command } from '@commander-js/extra-typings';
import { flowArgument, jsonOption } from '../options.ts';
import { writeResult } from '../write-result.ts';

export const build = () =>
  new Command('build')
    .summary('write a flow as JSON')
    .description(
      'Writes a flow as JSON, which is what the service registers: of YAML, of JSON with comments, or of a program that builds it.',
    )
    .argument(...flowArgument)
    .option('-o, --out <file>', 'write to this file (default: stdout)')
    .option(...jsonOption)
    .action(async (file, { out, json = false }) => {
      const { readCheckedFlow } = await import('../read-flow.ts');
      const flow = await readCheckedFlow(file, json);
      await writeResult(`${JSON.stringify(flow, undefined, 2)}\n`, out);
    });
