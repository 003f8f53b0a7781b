// `agent-flow usage`: what models have used, and what that costs.
import { Command, Option } from '@commander-js/extra-typings';
import type { UsageRow } from '../api/list-usage.ts';
import { formatCount, formatDollars } from '../figures.ts';
import { day, jsonOption, profileOption } from '../options.ts';
import { type Cell, note, printJson, printTable } from '../print.ts';

const groups = ['workspace', 'flow', 'key', 'model'] as const;
type UsageGroup = (typeof groups)[number];

export const usage = () =>
  new Command('usage')
    .summary('what models have used, and what that costs')
    .description(
      'Shows the calls and tokens of models, and what they cost by the prices of the service, by day or month in UTC: of one workspace, or of all that the credentials are for.',
    )
    .option('--from <day>', 'the first day (default: the first of the month of --to)', day)
    .option('--to <day>', 'the last day, included (default: today)', day)
    .addOption(
      new Option('--by <period>', 'what a row is for')
        .choices(['day', 'month'] as const)
        .default('day' as const),
    )
    .addOption(new Option('--group <what>', 'split each day or month by this').choices(groups))
    .option('--workspace <id>', 'only this workspace (default: all, whatever the profile names)')
    .option(...profileOption)
    .option(...jsonOption)
    .action(async ({ json, from, to, by, group, workspace, profile }) => {
      const { findTarget } = await import('../api/target.ts');
      const { listUsage } = await import('../api/list-usage.ts');
      const target = await findTarget(profile === undefined ? {} : { profile });
      const items = await listUsage(target, { workspaceid: workspace, from, to, by, group });
      if (json) return printJson({ items });
      if (items.length === 0) return note('No calls of models were recorded on these days.');
      printUsage(items, group);
    });

interface Column {
  readonly name: string;
  readonly cell: (row: UsageRow) => Cell;
}

const labels: Record<UsageGroup, readonly Column[]> = {
  workspace: [{ name: 'WORKSPACE', cell: ({ workspaceid }) => workspaceid }],
  flow: [
    { name: 'WORKSPACE', cell: ({ workspaceid }) => workspaceid },
    { name: 'FLOW', cell: ({ flowid }) => flowid },
  ],
  key: [{ name: 'KEY', cell: ({ key }) => key ?? '(another organisation)' }],
  model: [{ name: 'MODEL', cell: ({ model }) => model }],
};

interface Figure {
  readonly name: string;
  readonly read: (row: UsageRow) => number;
  readonly format: (value: number) => string;
}

const figures: readonly Figure[] = [
  { name: 'CALLS', read: ({ calls }) => calls, format: formatCount },
  { name: 'INPUT', read: ({ tokens }) => tokens.input, format: formatCount },
  { name: 'CACHED', read: ({ tokens }) => tokens.cached, format: formatCount },
  { name: 'CACHE WRITE', read: ({ tokens }) => tokens.cache_write, format: formatCount },
  { name: 'OUTPUT', read: ({ tokens }) => tokens.output, format: formatCount },
  { name: 'COST', read: ({ cost_estimate }) => cost_estimate, format: (cost) => formatDollars(cost, 4) },
];

/** The last line has the totals. */
function printUsage(items: readonly UsageRow[], group: UsageGroup | undefined): void {
  const columns = group === undefined ? [] : labels[group];
  const rows = items.map((row) => [
    row.period,
    ...columns.map(({ cell }) => cell(row)),
    ...figures.map(({ read, format }) => format(read(row))),
  ]);
  const total = [
    'TOTAL',
    ...columns.map(() => ''),
    ...figures.map(({ read, format }) => format(sum(items.map(read)))),
  ];
  const head = ['PERIOD', ...columns.map(({ name }) => name), ...figures.map(({ name }) => name)];
  printTable(head, [...rows, total], { numbersFrom: 1 + columns.length });
  const unpriced = sum(items.map(({ unpriced_calls }) => unpriced_calls));
  if (unpriced > 0)
    note(
      `${unpriced === 1 ? '1 call is' : `${formatCount(unpriced)} calls are`} not in the cost: the service has no price of the model.`,
    );
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
