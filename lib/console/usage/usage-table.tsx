// The figures as a table, which can be sorted by each of them.
import { useMemo } from 'react';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { formatAmount, formatCount, formatPeriod, formatShort } from '../parts/format.ts';
import tables from '../parts/table.module.css';
import type { Group } from './queries.ts';
import type { By, Figures, Line } from './sums.ts';
import styles from './usage-page.module.css';
import { words } from './words.ts';

interface UsageTableProps {
  readonly lines: readonly Line[];
  readonly by: By;
  readonly group: Group | undefined;
  readonly hasPeriods: boolean;
  readonly currency: string;
}

export function UsageTable({ lines, by, group, hasPeriods, currency }: UsageTableProps) {
  const columns = useMemo(
    () => [
      ...(hasPeriods ? [periodColumn(by, group === undefined)] : []),
      ...(group ? [labelColumn(words.groupTitles[group])] : []),
      ...figureColumns(currency),
    ],
    [hasPeriods, by, group, currency],
  );
  return <DataTable label={words.usage} items={lines} columns={columns} idOf={({ id }) => id} />;
}

const periodColumn = (by: By, isHeader: boolean): Column<Line> => ({
  id: 'period',
  title: words.period[by],
  sortBy: ({ period = '' }) => Date.parse(period),
  cell: ({ period = '' }) => formatPeriod(period),
  isHeader,
});

const labelColumn = (title: string): Column<Line> => ({
  id: 'name',
  title,
  sortBy: ({ label }) => label,
  cell: ({ label }) => label,
  isHeader: true,
});

const figureColumns = (currency: string): readonly Column<Line>[] => [
  {
    id: 'calls',
    title: words.calls,
    sortBy: ({ calls }) => calls,
    cell: ({ calls }) => formatCount(calls),
    isWide: true,
  },
  { id: 'input', title: words.input, sortBy: ({ input }) => input, cell: (line) => <Input {...line} /> },
  {
    id: 'cached',
    title: words.cached,
    sortBy: ({ cached }) => cached,
    cell: (line) => <Cached {...line} />,
    isWide: true,
  },
  {
    id: 'output',
    title: words.output,
    sortBy: ({ output }) => output,
    cell: ({ output }) => <Tokens count={output} />,
    isWide: true,
  },
  {
    id: 'cost',
    title: words.cost,
    sortBy: ({ cost }) => cost,
    cell: ({ cost, unpriced }) => (
      <>
        {formatAmount(cost, currency)}
        {unpriced > 0 && <div className={tables.soft}>{words.unpriced(unpriced)}</div>}
      </>
    ),
  },
];

const Tokens = ({ count }: { count: number }) => <span title={formatCount(count)}>{formatShort(count)}</span>;

/** Where the screen has no room for the column of the cache, its figure is here. */
const Input = ({ input, cached }: Figures) => (
  <>
    <Tokens count={input} />
    {cached > 0 && (
      <div className={`${tables.soft} ${styles.narrow}`}>{words.ofCache(formatShort(cached))}</div>
    )}
  </>
);

const Cached = ({ input, cached, written }: Figures) => (
  <>
    <Tokens count={cached} />
    {cached > 0 && <span className={tables.soft}> {words.share(Math.round((cached / input) * 100))}</span>}
    {written > 0 && <div className={tables.soft}>{words.written(formatShort(written))}</div>}
  </>
);
