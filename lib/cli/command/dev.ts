// `agent-flow dev`: works on an agent, which the service has as it was saved last.
import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import type { RegisteredBuild } from '../api/register.ts';
import type { Target } from '../api/target.ts';
import { CommandFailure } from '../command-failure.ts';
import { jsonOption, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printLine } from '../print.ts';
import { programName } from '../program-name.ts';

export const dev = () =>
  new Command('dev')
    .summary('check, test and register an agent on every save')
    .description(
      'Checks an agent, runs its tests, and registers a build if they pass; on every save it does so again, and replaces that build. Nothing becomes live. Ctrl-C ends it. With --json it prints one document for each time.',
    )
    .argument('[path]', 'an agent file, or the folder with it', '.')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (path, { json = false, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { watchFiles } = await import('../watch-files.ts');
      const target = await findTarget(options);
      let build: RegisteredBuild | undefined;
      const update = async () => {
        build = await checkTestRegister(target, path, build, json);
      };
      await watchFiles([path], update, json);
    });

async function checkTestRegister(
  target: Target,
  path: string,
  former: RegisteredBuild | undefined,
  asJson: boolean,
): Promise<RegisteredBuild> {
  const { readCheckedAgent, registerBuild, replaceBuild } = await import('../api/register.ts');
  const { testFile } = await import('../test-file.ts');
  const { printTests } = await import('../print-tests.ts');
  const agent = await readCheckedAgent(path, asJson);
  const report = await testFile(path, {}, true);
  if (!asJson) printTests(report);
  if (!report.passed)
    throw new CommandFailure('The agent was not registered: its tests fail.', {
      members: { tests: report.tests.map(({ name, passed }) => ({ name, passed })) },
    });
  const build = former
    ? await replaceBuild(target, agent, former)
    : await registerBuild(target, agent, { idempotencyKey: randomUUID() });
  const { flowid, build_no, a2aregistryid, version } = build;
  if (asJson) printJson({ flowid, build_no, a2aregistryid, version });
  else if (former) note(`Replaced build ${build_no} of ${flowid}.`);
  else
    printLine(
      `Registered build ${build_no} of ${flowid}, at ${target.url}. Try it: ${programName()} call ${flowid}@${build_no} "Hello"`,
    );
  return build;
}
