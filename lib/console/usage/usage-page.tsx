// What models have used in a range of days, as a picture and as a table, and the budgets. The range, the group and all
// other choices are in the address.
import { useId, useMemo } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { nonePlaced, placeMistakes } from '../parts/field-errors.ts';
import { useFilters } from '../parts/filters.ts';
import { describedBy, FieldError } from '../parts/form.tsx';
import { formatAmount, formatShort } from '../parts/format.ts';
import { Empty, Failure, Loading, LoadMore } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useSortOrder } from '../parts/sort-order.ts';
import { useSession } from '../shell/session.tsx';
import { BudgetsPanel } from './budgets-panel.tsx';
import { useLabels } from './labels.ts';
import { type Group, groups, type UsageRow, useUsage } from './queries.ts';
import { SpendChart } from './spend-chart.tsx';
import {
  type By,
  defaultRange,
  type Figures,
  listPeriods,
  type Measure,
  measured,
  sumAll,
  toBars,
  toLines,
} from './sums.ts';
import styles from './usage-page.module.css';
import { UsageTable } from './usage-table.tsx';
import { words } from './words.ts';

const filterNames = ['from', 'to', 'by', 'group', 'workspace', 'measure', 'rows'] as const;
type FilterName = (typeof filterNames)[number];

export function UsagePage() {
  const { filters, setFilter, clear } = useFilters(filterNames);
  const choice = readChoice(filters);
  const { by, group, from, to, workspaceid } = choice;
  const { query, rows } = useUsage({ from, to, by, group, workspaceid });
  const placed = useMemo(() => placeRange(query.error), [query.error]);
  return (
    <Page title={words.usage} lead={words.lead}>
      <BudgetsPanel />
      <Filters
        choice={choice}
        set={setFilter}
        mistakes={placed.atFields}
        onClear={Object.keys(filters).length > 0 ? clear : undefined}
      />
      {query.error && placed.atFields.size === 0 && (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Loading />}
      {query.isSuccess && <Used rows={rows} choice={choice} query={query} />}
    </Page>
  );
}

interface Choice {
  readonly from: string;
  readonly to: string;
  readonly by: By;
  readonly group: Group | undefined;
  readonly workspaceid: string | undefined;
  /** By default the cost, if anything has one. */
  readonly measure: Measure | undefined;
  readonly isEach: boolean;
}

/** What the address has and the page does not know is as if it was not there. */
function readChoice(filters: Readonly<Partial<Record<FilterName, string>>>): Choice {
  const by: By = filters.by === 'month' ? 'month' : 'day';
  const range = defaultRange(by, filters.to ?? new Date().toISOString().slice(0, 10));
  const { measure } = filters;
  return {
    from: filters.from ?? range.from,
    to: range.to,
    by,
    group: groups.find((name) => name === filters.group),
    workspaceid: filters.workspace,
    measure: measure === 'cost' || measure === 'tokens' || measure === 'calls' ? measure : undefined,
    isEach: filters.rows === 'each',
  };
}

const rangePointers = { from: '/query/from', to: '/query/to' };

const placeRange = (error: unknown) =>
  error instanceof ApiError
    ? placeMistakes(error.problem.fields ?? [], rangePointers, () => true)
    : nonePlaced;

interface FiltersProps {
  readonly choice: Choice;
  readonly set: (name: FilterName, value: string) => void;
  readonly mistakes: ReadonlyMap<string, string>;
  readonly onClear: (() => void) | undefined;
}

function Filters({ choice, set, mistakes, onClear }: FiltersProps) {
  const { workspaces } = useSession();
  return (
    <search className={fields.row}>
      <Day name="from" value={choice.from} mistake={mistakes.get('from')} set={set} />
      <Day name="to" value={choice.to} mistake={mistakes.get('to')} set={set} />
      <Select
        label={words.by}
        value={choice.by}
        options={words.periods}
        onChange={(value) => set('by', value === 'day' ? '' : value)}
      />
      <Select
        label={words.group}
        value={choice.group ?? ''}
        options={{ '': words.noGroup, ...words.groups }}
        onChange={(value) => set('group', value)}
      />
      {workspaces.length > 1 && (
        <Select
          label={words.workspace}
          value={choice.workspaceid ?? ''}
          options={{
            '': words.allWorkspaces,
            ...Object.fromEntries(workspaces.map(({ id, name }) => [id, name])),
          }}
          onChange={(value) => set('workspace', value)}
        />
      )}
      {onClear && (
        <button type="button" className={`${buttons.button} ${styles.clear}`} onClick={onClear}>
          {words.clear}
        </button>
      )}
    </search>
  );
}

interface DayProps {
  readonly name: 'from' | 'to';
  readonly value: string;
  readonly mistake: string | undefined;
  readonly set: (name: 'from' | 'to', value: string) => void;
}

function Day({ name, value, mistake, set }: DayProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{words[name]}</label>
      <input
        id={id}
        className={fields.input}
        type="date"
        value={value}
        onChange={({ target }) => set(name, target.value)}
        {...describedBy(id, undefined, mistake)}
      />
      <FieldError id={id}>{mistake}</FieldError>
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={fields.input}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {Object.entries(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface UsedProps {
  readonly rows: readonly UsageRow[];
  readonly choice: Choice;
  readonly query: Parameters<typeof LoadMore>[0]['query'];
}

function Used({ rows, choice, query }: UsedProps) {
  const { setFilter } = useFilters(filterNames);
  const { order } = useSortOrder();
  const { by, group, from, to, isEach } = choice;
  const labelOf = useLabels(group);
  const total = useMemo(() => sumAll(rows), [rows]);
  const measure = choice.measure ?? (total.cost > 0 ? 'cost' : 'tokens');
  const hasPeriods = group === undefined || isEach;
  const lines = useMemo(() => toLines(rows, { byPeriod: hasPeriods, labelOf }), [rows, hasPeriods, labelOf]);
  const bars = useMemo(
    () => toBars(rows, { measure, periods: listPeriods(from, to, by), labelOf, others: words.others }),
    [rows, measure, from, to, by, labelOf],
  );
  const currency = rows[0]?.currency ?? 'USD';
  if (rows.length === 0) return <NothingUsed />;
  const format = (value: number) => (measure === 'cost' ? formatAmount(value, currency) : formatShort(value));
  return (
    <Panel
      title={words.total}
      aside={
        <div className={fields.row}>
          <Select
            label={words.measure}
            value={measure}
            options={words.measures}
            onChange={(value) => setFilter('measure', value)}
          />
          {group && (
            <Select
              label={words.rows}
              value={isEach ? 'each' : 'sum'}
              options={words.rowKinds}
              onChange={(value) => setFilter('rows', value === 'sum' ? '' : value)}
            />
          )}
        </div>
      }
    >
      <Total figures={total} currency={currency} />
      <SpendChart
        {...bars}
        measure={words.measures[measure]}
        by={words.periods[by]}
        total={measured(measure, total)}
        format={format}
      />
      {query.hasNextPage && !query.isFetchingNextPage && <p className={styles.note}>{words.partial}</p>}
      <UsageTable lines={lines} by={by} group={group} hasPeriods={hasPeriods} currency={currency} />
      <LoadMore query={query} isSorted={order !== undefined} />
    </Panel>
  );
}

const NothingUsed = () => (
  <Panel title={words.total}>
    <Empty
      icon="usage"
      title={words.none}
      action={
        <Link href="/runs" className={buttons.button}>
          {words.runsLink}
        </Link>
      }
    >
      {words.noneText}
    </Empty>
  </Panel>
);

const Total = ({ figures, currency }: { figures: Figures; currency: string }) => (
  <dl className={styles.figures}>
    <Figure title={words.cost} beside={figures.unpriced > 0 ? words.unpriced(figures.unpriced) : undefined}>
      {formatAmount(figures.cost, currency)}
    </Figure>
    <Figure title={words.calls}>{formatShort(figures.calls)}</Figure>
    <Figure
      title={words.input}
      beside={figures.cached > 0 ? words.ofCache(formatShort(figures.cached)) : undefined}
    >
      {formatShort(figures.input)}
    </Figure>
    <Figure title={words.output}>{formatShort(figures.output)}</Figure>
  </dl>
);

const Figure = ({
  title,
  beside,
  children,
}: {
  title: string;
  beside?: string | undefined;
  children: string;
}) => (
  <div>
    <dt>{title}</dt>
    <dd>
      {children}
      {beside && <small>{beside}</small>}
    </dd>
  </div>
);
