// `agent-flow diff`: what a promotion would change.
import { Command } from '@commander-js/extra-typings';
import { exitCodes } from '../exit-codes.ts';
import { buildArgument, jsonOption, profileOption, workspaceOption } from '../options.ts';
import { printJson } from '../print.ts';

export const diff = () =>
  new Command('diff')
    .summary('compare a build with the live one')
    .description(
      'Compares a build with the live build of its flow, or with another one, and marks what may break callers.',
    )
    .argument(...buildArgument)
    .option('--against <build>', 'the build to compare with (default: the live one)')
    .option('--exit-code', 'exit with 1 if a change may break callers')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (build, { json, against, exitCode, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { findBuildId } = await import('../api/find-build.ts');
      const { request } = await import('../api/request.ts');
      const { printDiff } = await import('./print-diff.ts');
      const target = await findTarget(options);
      const a2aregistryid = await findBuildId(target, build, 'latest');
      const other = against === undefined ? undefined : await findBuildId(target, against, 'latest');
      const { body } = await request(target, 'diffRegistryRow', 'Comparing the builds', {
        params: { a2aregistryid },
        query: { against: other },
      });
      if (json) printJson(body);
      else printDiff(body);
      if (exitCode && body.breaking) process.exitCode = exitCodes.failure;
    });
