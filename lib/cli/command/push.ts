// `agent-flow push`: registers a build of an agent file.
import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import { jsonOption, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printLine } from '../print.ts';
import { programName } from '../program-name.ts';

export const push = () =>
  new Command('push')
    .summary('register a build')
    .description(
      'Checks an agent file and registers a build of it, with the status test. `promote` makes it live.',
    )
    .argument('[path]', 'an agent file, or the folder with it', '.')
    .option('--label <text>', 'a name of the build, such as "spring sale"')
    .option('--note <text>', 'what others should know of the build')
    .option(
      '--idempotency-key <key>',
      'register once, however often the command runs with this key within 24 hours',
    )
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (path, { json = false, idempotencyKey = randomUUID(), label, note: text, ...options }) => {
      const { readCheckedAgent, registerBuild } = await import('../api/register.ts');
      const { findTarget } = await import('../api/target.ts');
      const target = await findTarget(options);
      const given = { ...(label !== undefined && { label }), ...(text !== undefined && { note: text }) };
      const agent = await readCheckedAgent(path, json);
      const row = await registerBuild(
        target,
        { ...agent, body: { ...agent.body, ...given } },
        { idempotencyKey },
      );
      if (json) return printJson(row);
      for (const { pointer, detail } of row.warnings ?? [])
        note(`The service warns of ${pointer}: ${detail}`);
      printLine(
        `Registered build ${row.build_no} of ${row.flowid}: ${row.a2aregistryid}, at ${target.url} (${target.source})`,
      );
      printLine(`Try it:       ${programName()} call ${row.flowid}@${row.build_no} "Hello"`);
      printLine(`Compare:      ${programName()} diff ${row.flowid}@${row.build_no}`);
      printLine(`Make it live: ${programName()} promote ${row.flowid}@${row.build_no}`);
    });
