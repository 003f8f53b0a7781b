// `agent-flow promote` and `rollback`: which build is live.
import { Command } from '@commander-js/extra-typings';
import type { Result } from '../api/operations.ts';
import type { Target } from '../api/target.ts';
import { CommandFailure } from '../command-failure.ts';
import { buildArgument, jsonOption, profileOption, workspaceOption } from '../options.ts';
import { printJson, printLine } from '../print.ts';

export const promote = () =>
  new Command('promote')
    .summary('make a build live')
    .description(
      'Makes a build live, if its tests pass, nothing in it breaks callers, and nobody has changed it or the live build meanwhile. A terminal asks about changes that may break callers.',
    )
    .argument(...buildArgument)
    .option('--allow-breaking', 'also if a change may break callers')
    .option('--skip-tests', 'without running the tests of the build')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (build, { json = false, allowBreaking = false, skipTests = false, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { findBuildId } = await import('../api/find-build.ts');
      const { request } = await import('../api/request.ts');
      const target = await findTarget(options);
      const params = { a2aregistryid: await findBuildId(target, build, 'latest') };
      const { headers } = await request(target, 'getRegistryRow', 'Reading the build', { params });
      if (!skipTests) await requirePassed(target, params);
      const { body: diff } = await request(target, 'diffRegistryRow', 'Comparing with the live build', {
        params,
      });
      if (diff.breaking && !allowBreaking) await confirmBreaking(diff, json);
      const { body } = await request(target, 'promoteRegistryRow', 'Promoting the build', {
        params,
        query: { expected_live: diff.from ?? 'none' },
        headers: { 'if-match': headers.get('etag') ?? '*' },
      });
      printLive(body, json);
    });

type Params = { readonly a2aregistryid: string };

async function requirePassed(target: Target, params: Params): Promise<void> {
  const { request } = await import('../api/request.ts');
  const { body } = await request(target, 'testRegistryRow', 'Running the tests of the build', { params });
  if (body.passed) return;
  const failed = body.tests.filter(({ passed }) => !passed);
  throw new CommandFailure(
    `The build was not promoted: ${failed.length} of its ${body.tests.length} tests fail.`,
    {
      members: { tests: failed.map(({ name, error = null }) => ({ name, error })) },
      lines: failed.map(
        ({ name, error, expectation }) => `  ✗ ${name}: ${error ?? `expected ${expectation}`}`,
      ),
    },
  );
}

async function confirmBreaking(diff: Result<'diffRegistryRow'>, asJson: boolean): Promise<void> {
  const { confirm } = await import('../confirm.ts');
  const { printDiff } = await import('./print-diff.ts');
  if (!asJson) printDiff(diff);
  if (!asJson && (await confirm('Promote it all the same?'))) return;
  throw new CommandFailure('The build was not promoted: a change may break callers.', {
    members: { breaking: true },
    lines: ['`--allow-breaking` promotes it all the same.'],
  });
}

export const rollback = () =>
  new Command('rollback')
    .summary('bring back the build that was live before')
    .description(
      'The live build of a flow returns to test, and the build that was live before it is live again.',
    )
    .argument('<flow>', 'the flow, or its live build (reg_…)')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (flow, { json = false, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { findBuildId } = await import('../api/find-build.ts');
      const { request } = await import('../api/request.ts');
      const target = await findTarget(options);
      const params = { a2aregistryid: await findBuildId(target, flow, 'live') };
      const { body } = await request(target, 'rollBackRegistryRow', 'Rolling back', { params });
      printLive(body, json);
    });

function printLive(row: Result<'promoteRegistryRow'>, asJson: boolean): void {
  if (asJson) {
    printJson(row);
    return;
  }
  const before = row.demoted === undefined ? '' : ` Before it was ${row.demoted}.`;
  printLine(`Build ${row.build_no} of ${row.flowid} (${row.a2aregistryid}) is live.${before}`);
  printLine(row.hosted_url);
}
