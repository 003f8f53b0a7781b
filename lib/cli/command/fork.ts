// `agent-flow fork`: starts a run at a node of another one.
import { Command } from '@commander-js/extra-typings';
import { exitCodes } from '../exit-codes.ts';
import { collectPair, jsonOption, profileOption, workspaceOption } from '../options.ts';
import { printJson, printLine } from '../print.ts';
import { programName } from '../program-name.ts';

export const fork = () =>
  new Command('fork')
    .summary('start a run at a node of another run')
    .description(
      'Starts a run in the background that begins at a node of another one, with the outputs that were kept of the nodes before it: none of these is executed or asked again. Exit code 4 if its values were not kept or the build differs before the node; with --follow, 1 if the new run does not complete.',
    )
    .argument('<run>', 'the id of the run (workflow_id)')
    .requiredOption(
      '--from <node>',
      'the node at which the new run begins; with its visit, such as order.2, if the run came by it several times',
    )
    .option('-e, --environment <name>', 'another environment than that of the run')
    .option(
      '--build <build>',
      'a build of the flow: its id (reg_…), or flow@3 by its number, flow@latest; by default the one that the environment has now',
    )
    .option(
      '--output <node=text>',
      'replaces the output of a node before the place; node:=json gives a JSON value; can be repeated',
      collectPair,
    )
    .option(
      '--state <name=text>',
      'replaces a variable; name:=json gives a JSON value; can be repeated',
      collectPair,
    )
    .option('-f, --follow', 'show what happens until the run ends')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (run, { from, environment, build, output, state, follow, json = false, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { request } = await import('../api/request.ts');
      const target = await findTarget(options);
      const { findBuildId } = await import('../api/find-build.ts');
      const a2aregistryid = build === undefined ? undefined : await findBuildId(target, build, 'latest');
      const { body } = await request(target, 'forkRun', 'Forking the run', {
        params: { workflow_id: run },
        body: {
          from,
          ...(environment !== undefined && { environment }),
          ...(a2aregistryid !== undefined && { a2aregistryid }),
          ...(output && { outputs: output }),
          ...(state && { state }),
        },
      });
      if (follow) {
        const { followHere } = await import('./runs.ts');
        if ((await followHere(target, body.workflow_id, json)) !== 'completed')
          process.exitCode = exitCodes.failure;
        return;
      }
      if (json) return printJson(body);
      printLine(`${body.workflow_id} begins at ${body.fork_from} of ${run}.`);
      printLine(`\`${programName()} logs ${body.workflow_id} --follow\` shows it.`);
    });
