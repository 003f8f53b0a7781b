// The connections of the workspace, and those that runs wait for.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { formPath } from '../parts/connection-path.ts';
import { Curl } from '../parts/curl.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { useLoadOn } from '../parts/load-on.ts';
import { Page, Panel } from '../parts/page.tsx';
import { useSortOrder } from '../parts/sort-order.ts';
import { Status, statusLabel } from '../parts/status.tsx';
import tables from '../parts/table.module.css';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import type { Connection } from './connection-fields.ts';
import { MissingPanel } from './missing-panel.tsx';
import { useConnections, useUsers } from './queries.ts';
import { TryButton } from './try-button.tsx';
import { words } from './words.ts';

const filterNames = ['type', 'scope'] as const;
type FilterName = (typeof filterNames)[number];

export function ConnectionsPage() {
  const { may } = useSession();
  const { filters, setFilter, clear } = useFilters(filterNames);
  const { connections, query } = useConnections();
  const { order } = useSortOrder();
  const shown = useMemo(
    () =>
      connections.filter(
        ({ type, scope }) => (filters.type ?? type) === type && (filters.scope ?? scope) === scope,
      ),
    [connections, filters],
  );
  useLoadOn(query, shown.length === 0);
  return (
    <Page
      title={words.connections}
      lead={words.lead}
      aside={connections.length > 0 && may('connections:write') && <StoreLink />}
    >
      <MissingPanel />
      <Filters filters={filters} setFilter={setFilter} />
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <Panel title={words.count(shown.length, query.hasNextPage)}>
          {shown.length > 0 && <ConnectionTable connections={shown} />}
          <LoadMore
            query={query}
            isFiltered={Object.keys(filters).length > 0}
            isSorted={order !== undefined}
          />
          {connections.length === 0 && <NoConnections />}
          {connections.length > 0 && shown.length === 0 && !query.isFetchingNextPage && (
            <NoMatches icon="connections" title={words.noMatches} onClear={clear} />
          )}
        </Panel>
      )}
    </Page>
  );
}

const StoreLink = () => (
  <Link href={formPath({})} className={buttons.primary}>
    {words.create}
  </Link>
);

function NoConnections() {
  const { may, workspaceid } = useSession();
  const body = {
    type: 'http_bearer',
    hosts: ['api.crm.example'],
    credential: { token: 'YOUR_TOKEN' },
  } as const;
  const input = {
    params: { name: 'crm' },
    query: { workspaceid },
    body: { ...body, hosts: [...body.hosts] },
  };
  const action = may('connections:write') && (
    <>
      <StoreLink />
      <Curl id="putConnection" input={input} />
    </>
  );
  return (
    <Empty icon="connections" title={words.none} action={action}>
      {words.noneText}
    </Empty>
  );
}

interface FiltersProps {
  readonly filters: Readonly<Partial<Record<FilterName, string>>>;
  readonly setFilter: (name: FilterName, value: string) => void;
}

function Filters({ filters, setFilter }: FiltersProps) {
  const select = (
    name: FilterName,
    label: string,
    any: string,
    options: Readonly<Record<string, string>>,
  ) => (
    <select
      className={fields.input}
      aria-label={label}
      value={filters[name] ?? ''}
      onChange={(event) => setFilter(name, event.target.value)}
    >
      <option value="">{any}</option>
      {Object.entries(options).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <search className={fields.row}>
      {select('type', words.type, words.anyType, words.types)}
      {select('scope', words.scope, words.anyScope, words.scopes)}
    </search>
  );
}

function ConnectionTable({ connections }: { connections: readonly Connection[] }) {
  const { found: users, bound } = useUsers();
  const { may } = useSession();
  const columns = useMemo(() => columnsWith(users), [users]);
  return (
    <>
      {bound !== undefined && <p className={tables.note}>{words.usersBound(bound)}</p>}
      <DataTable
        label={words.connections}
        items={connections}
        columns={columns}
        idOf={({ scope, name }) => `${scope} ${name}`}
        actions={may('connections:write') ? (connection) => <Actions connection={connection} /> : undefined}
      />
    </>
  );
}

const columnsWith = (users: ReadonlyMap<string, readonly string[]>): readonly Column<Connection>[] => [
  {
    id: 'name',
    title: words.name,
    sortBy: ({ name }) => name,
    cell: (connection) => <ConnectionName connection={connection} />,
    isHeader: true,
  },
  {
    id: 'hosts',
    title: words.hosts,
    sortBy: ({ hosts }) => hosts.join(', '),
    cell: ({ hosts }) => hosts.join(', '),
    isWide: true,
  },
  {
    id: 'used-by',
    title: words.usedBy,
    sortBy: ({ name }) => users.get(name)?.length ?? 0,
    cell: ({ name }) =>
      users.get(name)?.join(', ') ?? <span className={tables.soft}>{words.usedByNone}</span>,
    isWide: true,
  },
  {
    id: 'state',
    title: words.state,
    // Those of one state by the time since when they are in it.
    sortBy: (connection) => `${statusLabel(stateOf(connection))} ${sinceOf(connection)}`,
    cell: (connection) => (
      <>
        <Status status={stateOf(connection)} />
        <div className={tables.soft}>
          <Ago time={sinceOf(connection)} />
        </div>
      </>
    ),
  },
];

const stateOf = ({ refused_at }: Connection) => (refused_at === undefined ? 'stored' : 'refused');

const sinceOf = ({ refused_at, updated_at }: Connection) => refused_at ?? updated_at;

const ConnectionName = ({ connection: { name, type, scope, label, external_id } }: OfConnection) => (
  <>
    {name}
    <div className={tables.soft}>{words.types[type]}</div>
    <div className={tables.soft}>{words.scopes[scope]}</div>
    {label && <div className={tables.soft}>{label}</div>}
    {external_id && (
      <div className={tables.soft}>
        {words.externalId} <code>{external_id}</code>
      </div>
    )}
  </>
);

interface OfConnection {
  readonly connection: Connection;
}

function Actions({ connection }: OfConnection) {
  const { name, type, scope, label, hosts } = connection;
  return (
    <>
      <TryButton connection={connection} />
      <Link
        href={formPath({ name, type, scope, label, hosts })}
        className={buttons.button}
        aria-label={`${words.replace} ${name}`}
      >
        {words.replace}
      </Link>
      <DeleteButton connection={connection} />
    </>
  );
}

function DeleteButton({ connection: { name, scope } }: OfConnection) {
  const { workspaceid } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const done = () => {
    toasts.add({ title: words.removed });
    void queries.invalidateQueries({ queryKey: ['connections'] });
  };
  return (
    <ConfirmButton
      label={words.remove}
      of={name}
      title={words.removeTitle(name)}
      text={words.removeText}
      action={() => call('deleteConnection', { params: { name }, query: { workspaceid, scope } })}
      onDone={done}
    />
  );
}
