// `agent-flow builds`: the builds of a workspace, or of one flow.
import { Command, Option } from '@commander-js/extra-typings';
import { count, jsonOption, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printTable } from '../print.ts';
import { programName } from '../program-name.ts';
import { takeAll } from '../take.ts';

export const builds = () =>
  new Command('builds')
    .summary('list builds')
    .description('Lists the builds of a workspace or of one flow, newest first.')
    .argument('[flow]', 'only builds of this flow')
    .addOption(
      new Option('--status <status>', 'only builds with this status').choices(['live', 'test'] as const),
    )
    .option('-n, --limit <n>', 'at most this many', count, 20)
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (flow, { json, limit, status, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { listBuilds } = await import('../api/find-build.ts');
      const target = await findTarget(options);
      const filters = { ...(flow !== undefined && { flowid: [flow] }), ...(status && { status: [status] }) };
      const items = await takeAll(listBuilds(target, filters), limit);
      if (json) return printJson({ items });
      if (items.length === 0)
        return note(`There are no such builds. \`${programName()} push\` registers one.`);
      const head = ['FLOW', 'BUILD', 'STATUS', 'VISIBILITY', 'CREATED', 'ID', 'LABEL'];
      const rows = items.map((row) => [
        ...[row.flowid, row.build_no, row.status, row.visibility, row.created_at, row.a2aregistryid],
        row.label,
      ]);
      printTable(head, rows);
    });
