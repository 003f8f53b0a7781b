// The declared triggers of the workspace.
import { Link } from 'wouter';
import type { CallInput } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { Curl } from '../parts/curl.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import tables from '../parts/table.module.css';
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
          <LoadMore query={query} />
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
    <input
      key={filters.flowid ?? ''}
      className={fields.input}
      type="search"
      aria-label={words.flowFilter}
      placeholder={words.flowFilter}
      defaultValue={filters.flowid ?? ''}
      onBlur={(event) => setFilter('flowid', event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') setFilter('flowid', event.currentTarget.value.trim());
      }}
    />
  </search>
);

const TriggerTable = ({ triggers }: { triggers: readonly Trigger[] }) => (
  <table className={tables.table} aria-label={words.triggers}>
    <thead>
      <tr>
        <th scope="col">{words.trigger}</th>
        <th scope="col">{words.kind}</th>
        <th scope="col" className={tables.wide}>
          {words.flow}
        </th>
        <th scope="col" className={tables.wide}>
          {words.environment}
        </th>
        <th scope="col">{words.state}</th>
        <th scope="col" className={tables.wide}>
          {words.updated}
        </th>
      </tr>
    </thead>
    <tbody>
      {triggers.map(({ trigger_id, kind, flowid, environment, enabled, updated_at }) => (
        <tr key={trigger_id}>
          <th scope="row">
            <Link href={`/triggers/${trigger_id}`} data-row>
              {trigger_id}
            </Link>
          </th>
          <td>{words.kinds[kind]}</td>
          <td className={tables.wide}>{flowid}</td>
          <td className={tables.wide}>{environmentLabel({ kind, environment })}</td>
          <td>
            <Status status={enabled ? 'enabled' : 'disabled'} />
          </td>
          <td className={`${tables.wide} ${tables.soft}`}>
            <Ago time={updated_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
