// `agent-flow check`: all mistakes in flows, each with its place.
import { Command } from '@commander-js/extra-typings';
import { exitCodes } from '../exit-codes.ts';
import { flowArgument, jsonOption } from '../options.ts';
import { printJson, printLine } from '../print.ts';

export const check = () =>
  new Command('check')
    .summary('list the mistakes in flows')
    .description(
      'Lists all mistakes in flows and agent files, each with its JSON pointer, line and column, and warns of what is probably a mistake. Exit code 1 if there are mistakes.',
    )
    .argument('<files...>', flowArgument[1])
    .option('-w, --watch', 'check again whenever a file changes')
    .option(...jsonOption)
    .action(async (files, { watch: isWatching, json = false }) => {
      const checkNow = async () => {
        process.exitCode = (await checkAll(files, json)) > 0 ? exitCodes.failure : exitCodes.success;
      };
      if (!isWatching) return await checkNow();
      const { watchFiles } = await import('../watch-files.ts');
      await watchFiles(files, checkNow, json);
    });

/** Returns the number of files with mistakes. */
async function checkAll(files: readonly string[], asJson: boolean): Promise<number> {
  const { checkFile } = await import('../check-file.ts');
  const { printFindings } = await import('../read-flow.ts');
  const checked = [];
  for (const path of files) {
    const result = await checkFile(path).catch((error: unknown) => unreadable(path, error));
    checked.push(result);
    if (asJson) continue;
    if ('reason' in result) console.error(result.reason);
    else {
      const { flow, file } = result;
      if (!flow && files.length > 1) console.error(`${file}:`);
      printFindings(result);
      if (flow) printLine(`${files.length > 1 ? `${file}: ` : ''}${describeFlow(flow)}`);
    }
  }
  const failed = checked.filter(({ flow }) => !flow).length;
  if (asJson)
    printJson({
      ok: failed === 0,
      files: checked.map(({ file, flow, mistakes, unlisted, warnings }) => ({
        ...{ file, ok: flow !== undefined, mistakes, unlisted, warnings },
      })),
    });
  else if (files.length > 1) printLine(`${files.length - failed} valid, ${failed} with mistakes.`);
  return failed;
}

/** A file that cannot be read is one mistake. */
function unreadable(file: string, error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  const mistakes = [{ pointer: '', detail: reason, file }];
  return { file, flow: undefined, body: undefined, mistakes, unlisted: 0, warnings: [], reason };
}

function describeFlow({ name, nodes }: { readonly name: string; readonly nodes: object }): string {
  const count = Object.keys(nodes).length;
  return `"${name}" is a valid flow of ${count} ${count === 1 ? 'node' : 'nodes'}.`;
}
