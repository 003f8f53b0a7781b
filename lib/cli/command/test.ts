// `agent-flow test`: the tests in flows.
import { Command } from '@commander-js/extra-typings';
import { exitCodes } from '../exit-codes.ts';
import { collectPair, flowArgument, jsonOption, type Pairs } from '../options.ts';
import { printJson, printLine } from '../print.ts';

export const test = () =>
  new Command('test')
    .summary('run the tests in flows')
    .description('Runs the tests in flows. No node uses the network. Exit code 1 if a test fails.')
    .argument('<files...>', flowArgument[1])
    .option('--env <name=text>', 'an environment variable of the build; can be repeated', collectPair)
    .option(...jsonOption)
    .action(async (files, { env = {}, json = false }) => {
      if (!(await testAll(files, env, json))) process.exitCode = exitCodes.failure;
    });

/** Whether all passed. A file with mistakes ends the command. */
async function testAll(files: readonly string[], env: Pairs, asJson: boolean): Promise<boolean> {
  const { testFile } = await import('../test-file.ts');
  const { printTests } = await import('../print-tests.ts');
  const reports = [];
  for (const file of files) {
    const report = await testFile(file, env, asJson);
    reports.push({ file, ...report });
    if (asJson) continue;
    if (files.length > 1) printLine(`${file}:`);
    printTests(report);
  }
  const passed = reports.every((report) => report.passed);
  if (asJson) printJson({ passed, files: reports });
  return passed;
}
