// The connections of the workspace, and those that runs wait for.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { formPath } from '../parts/connection-path.ts';
import { Curl } from '../parts/curl.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { useLoadOn } from '../parts/load-on.ts';
import { Page, Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import tables from '../parts/table.module.css';
import { Ago } from '../parts/time.tsx';
import { words as common } from '../parts/words.ts';
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
  const shown = connections.filter(
    ({ type, scope }) => (filters.type ?? type) === type && (filters.scope ?? scope) === scope,
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
          <LoadMore query={query} isFiltered={Object.keys(filters).length > 0} />
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
  return (
    <>
      {bound !== undefined && <p className={tables.note}>{words.usersBound(bound)}</p>}
      <table className={tables.table} aria-label={words.connections}>
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col" className={tables.wide}>
              {words.hosts}
            </th>
            <th scope="col" className={tables.wide}>
              {words.usedBy}
            </th>
            <th scope="col">{words.state}</th>
            {may('connections:write') && (
              <th scope="col">
                <span className="visually-hidden">{common.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {connections.map((connection) => (
            <Row
              key={`${connection.scope} ${connection.name}`}
              connection={connection}
              users={users.get(connection.name) ?? []}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({ connection, users }: { connection: Connection; users: readonly string[] }) {
  const { name, type, scope, label, hosts, updated_at, refused_at, external_id } = connection;
  const { may } = useSession();
  return (
    <tr>
      <th scope="row">
        {name}
        <div className={tables.soft}>
          {words.types[type]} · {words.scopes[scope]}
        </div>
        {label && <div className={tables.soft}>{label}</div>}
        {external_id && (
          <div className={tables.soft}>
            {words.externalId} <code>{external_id}</code>
          </div>
        )}
      </th>
      <td className={tables.wide}>{hosts.join(', ')}</td>
      <td className={`${tables.wide} ${users.length === 0 ? tables.soft : ''}`}>
        {users.length === 0 ? words.usedByNone : users.join(', ')}
      </td>
      <td>
        <Status status={refused_at === undefined ? 'stored' : 'refused'} />
        <div className={tables.soft}>
          <Ago time={refused_at ?? updated_at} />
        </div>
      </td>
      {may('connections:write') && (
        <td>
          <div className={tables.buttons}>
            <TryButton connection={connection} />
            <Link
              href={formPath({ name, type, scope, label, hosts })}
              className={buttons.button}
              aria-label={`${words.replace} ${name}`}
            >
              {words.replace}
            </Link>
            <DeleteButton connection={connection} />
          </div>
        </td>
      )}
    </tr>
  );
}

function DeleteButton({ connection: { name, scope } }: { connection: Connection }) {
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
