// The declared triggers of the workspace.
import { Link } from 'wouter';
import type { CallInput } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { Curl } from '../parts/curl.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useSortOrder } from '../parts/sort-order.ts';
import { Status, statusLabel } from '../parts/status.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { useTriggers } from './queries.ts';
import { environmentLabel, type Trigger } from './trigger-body.ts';
import { words } from './words.ts';

const filterNames = ['kind', 'flowid'] as const;

export function TriggersPage() {
  const { may } = useSession();
  const { filters, setFilter, clear } = useFilters(filterNames);
  // What the address names is checked by the service, whose answer is shown.
  const { triggers, query } = useTriggers(
    filters as Partial<NonNullable<CallInput<'listTriggers'>['query']>>,
  );
  const { order } = useSortOrder();
  const hasFilters = Object.keys(filters).length > 0;
  const isEmpty = triggers.length === 0;
  return (
    <Page
      title={words.triggers}
      lead={words.lead}
      aside={may('assistants.flows:create') && !(isEmpty && !hasFilters) && <CreateLink />}
    >
      <Filters filters={filters} setFilter={setFilter} />
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <Panel title={words.count(triggers.length, query.hasNextPage)}>
          {!isEmpty && <TriggerTable triggers={triggers} />}
          <LoadMore query={query} isSorted={order !== undefined} />
          {isEmpty && !hasFilters && <NoTriggers />}
          {isEmpty && hasFilters && <NoMatches icon="triggers" title={words.noMatches} onClear={clear} />}
        </Panel>
      )}
    </Page>
  );
}

const CreateLink = () => (
  <Link href="/triggers/new" className={buttons.primary}>
    {words.create}
  </Link>
);

function NoTriggers() {
  const { may, workspaceid } = useSession();
  const body = {
    kind: 'schedule',
    flowid: 'nightly-report',
    schedule: { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin' },
  } as const;
  const action = may('assistants.flows:create') && (
    <>
      <CreateLink />
      <Curl id="createTrigger" input={{ query: { workspaceid }, body }} />
    </>
  );
  return (
    <Empty icon="triggers" title={words.none} action={action}>
      {words.noneText}
    </Empty>
  );
}

interface FiltersProps {
  readonly filters: Readonly<Partial<Record<(typeof filterNames)[number], string>>>;
  readonly setFilter: (name: (typeof filterNames)[number], value: string) => void;
}

const Filters = ({ filters, setFilter }: FiltersProps) => (
  <search className={fields.row}>
    <select
      className={fields.input}
      aria-label={words.kind}
      value={filters.kind ?? ''}
      onChange={(event) => setFilter('kind', event.target.value)}
    >
      <option value="">{words.anyKind}</option>
      {Object.entries(words.kinds).map(([kind, label]) => (
        <option key={kind} value={kind}>
          {label}
        </option>
      ))}
    </select>
    <TextFilter
      label={words.flowFilter}
      value={filters.flowid}
      onChange={(value) => setFilter('flowid', value)}
    />
  </search>
);

const TriggerTable = ({ triggers }: { triggers: readonly Trigger[] }) => (
  <DataTable
    label={words.triggers}
    items={triggers}
    columns={columns}
    idOf={({ trigger_id }) => trigger_id}
  />
);

const columns: readonly Column<Trigger>[] = [
  {
    id: 'trigger',
    title: words.trigger,
    sortBy: ({ trigger_id }) => trigger_id,
    cell: ({ trigger_id }) => (
      <Link href={`/triggers/${trigger_id}`} data-row>
        {trigger_id}
      </Link>
    ),
    isHeader: true,
  },
  {
    id: 'kind',
    title: words.kind,
    sortBy: ({ kind }) => words.kinds[kind],
    cell: ({ kind }) => words.kinds[kind],
  },
  {
    id: 'flow',
    title: words.flow,
    sortBy: ({ flowid }) => flowid,
    cell: ({ flowid }) => flowid,
    isWide: true,
  },
  {
    id: 'environment',
    title: words.environment,
    sortBy: environmentLabel,
    cell: environmentLabel,
    isWide: true,
  },
  {
    id: 'state',
    title: words.state,
    sortBy: ({ enabled }) => statusLabel(enabled ? 'enabled' : 'disabled'),
    cell: ({ enabled }) => <Status status={enabled ? 'enabled' : 'disabled'} />,
  },
  {
    id: 'changed',
    title: words.updated,
    sortBy: ({ updated_at }) => Date.parse(updated_at),
    cell: ({ updated_at }) => <Ago time={updated_at} />,
    isWide: true,
    isSoft: true,
  },
];
