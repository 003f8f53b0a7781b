// `agent-flow test`: the tests in flows.
import { Command } from '@commander-js/extra-typings';
import type { findTarget } from '../api/target.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  collectPair,
  flowArgument,
  jsonOption,
  type Pairs,
  profileOption,
  workspaceOption,
} from '../options.ts';
import { printJson, printLine } from '../print.ts';

export const test = () =>
  new Command('test')
    .summary('run the tests in flows')
    .description(
      'Runs the tests in flows. No node uses the network. Exit code 1 if a test fails. With --from-run, prints a run of the service as a test, which passes with its build: add it to `tests` of the flow.',
    )
    .argument('[files...]', flowArgument[1])
    .option('--env <name=text>', 'an environment variable of the build; can be repeated', collectPair)
    .option('--from-run <run>', 'print this run (workflow_id) as a test, in place of running tests')
    .option('--name <name>', 'the name of the test, with --from-run')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (files, { env = {}, json = false, fromRun, name, ...options }, command) => {
      if ((files.length === 0) === (fromRun === undefined))
        command.error('error: expected files of flows, or --from-run with the id of a run', {
          exitCode: exitCodes.usage,
        });
      if (fromRun !== undefined) await printSaved(fromRun, name, options);
      else if (!(await testAll(files, env, json))) process.exitCode = exitCodes.failure;
    });

/** JSON either way: it is an entry for a file. */
async function printSaved(
  workflow_id: string,
  name: string | undefined,
  options: Parameters<typeof findTarget>[0],
): Promise<void> {
  const { findTarget: find } = await import('../api/target.ts');
  const { request } = await import('../api/request.ts');
  const target = await find(options);
  const parts = { params: { workflow_id }, query: { name } };
  const { body } = await request(target, 'getRunTest', 'Reading the run', parts);
  printJson(body);
}

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
