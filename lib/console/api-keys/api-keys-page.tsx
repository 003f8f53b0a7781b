// The API keys of the organisation.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Curl } from '../parts/curl.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { formatDay } from '../parts/format.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { useLoadOn } from '../parts/load-on.ts';
import { Page, Panel } from '../parts/page.tsx';
import { useSortOrder } from '../parts/sort-order.ts';
import { Status } from '../parts/status.tsx';
import tables from '../parts/table.module.css';
import { Ago, useNow } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { type ApiKey, stateOf, useApiKeys } from './queries.ts';
import { words } from './words.ts';

const filterNames = ['state'] as const;

export function ApiKeysPage() {
  const { may } = useSession();
  const now = useNow(60_000);
  const { filters, setFilter, clear } = useFilters(filterNames);
  const { keys, query } = useApiKeys();
  const { order } = useSortOrder();
  const shown = useMemo(
    () => keys.filter((key) => (filters.state ?? stateOf(key, now)) === stateOf(key, now)),
    [keys, filters, now],
  );
  useLoadOn(query, shown.length === 0);
  return (
    <Page
      title={words.keys}
      lead={words.lead}
      aside={may('apikeys:create') && keys.length > 0 && <IssueLink />}
    >
      <search className={fields.row}>
        <select
          className={fields.input}
          aria-label={words.state}
          value={filters.state ?? ''}
          onChange={(event) => setFilter('state', event.target.value)}
        >
          <option value="">{words.anyState}</option>
          {Object.entries(words.states).map(([state, label]) => (
            <option key={state} value={state}>
              {label}
            </option>
          ))}
        </select>
      </search>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <Panel title={words.count(shown.length, query.hasNextPage)}>
          {shown.length > 0 && <KeyTable keys={shown} now={now} />}
          {keys.length === 0 && <NoKeys />}
          {keys.length > 0 && shown.length === 0 && !query.isFetchingNextPage && (
            <NoMatches icon="key" title={words.noMatches} onClear={clear} />
          )}
          <LoadMore query={query} isFiltered={filters.state !== undefined} isSorted={order !== undefined} />
        </Panel>
      )}
    </Page>
  );
}

const IssueLink = () => (
  <Link href="/settings/keys/new" className={buttons.primary}>
    {words.issue}
  </Link>
);

function NoKeys() {
  const { may, workspaceid } = useSession();
  const body = { label: 'CI pipeline', scopes: ['assistants.flows:run' as const], workspaces: [workspaceid] };
  const action = may('apikeys:create') && (
    <>
      <IssueLink />
      <Curl id="createApiKey" input={{ body }} />
    </>
  );
  return (
    <Empty icon="key" title={words.none} action={action}>
      {words.noneText}
    </Empty>
  );
}

function KeyTable({ keys, now }: { keys: readonly ApiKey[]; now: number }) {
  const { may, me } = useSession();
  const columns = useMemo(() => columnsAt(now, me.workspace_names), [now, me]);
  return (
    <DataTable
      label={words.keys}
      items={keys}
      columns={columns}
      idOf={({ keyid }) => keyid}
      actions={
        may('apikeys:delete')
          ? (key) => stateOf(key, now) === 'enabled' && <RevokeButton apiKey={key} />
          : undefined
      }
    />
  );
}

const columnsAt = (
  now: number,
  workspaceNames: Readonly<Record<string, string>>,
): readonly Column<ApiKey>[] => [
  {
    id: 'label',
    title: words.key,
    sortBy: ({ label }) => label,
    cell: (key) => <KeyName apiKey={key} />,
    isHeader: true,
  },
  {
    id: 'workspaces',
    title: words.workspaces,
    cell: ({ workspaces }) =>
      workspaces === '*' ? words.allWorkspaces : workspaces.map((id) => workspaceNames[id] ?? id).join(', '),
    isWide: true,
  },
  {
    id: 'state',
    title: words.state,
    sortBy: (key) => words.states[stateOf(key, now)],
    cell: (key) => <Status status={stateOf(key, now)} />,
  },
  {
    id: 'expires',
    title: words.expires,
    sortBy: ({ expires_at }) => Date.parse(expires_at),
    cell: ({ expires_at }) => formatDay(expires_at),
    isSoft: true,
  },
  {
    id: 'last-used',
    title: words.lastUsed,
    sortBy: ({ last_used_at }) => (last_used_at === undefined ? undefined : Date.parse(last_used_at)),
    cell: ({ last_used_at }) => (last_used_at === undefined ? words.never : <Ago time={last_used_at} />),
    isWide: true,
    isSoft: true,
  },
];

const KeyName = ({ apiKey: { keyid, label, scopes } }: { apiKey: ApiKey }) => (
  <>
    {label}
    <div className={tables.soft}>
      <code>{keyid}</code>
    </div>
    <details className={tables.details}>
      <summary>{words.rightsCount(scopes.length)}</summary>
      {scopes.join(', ')}
    </details>
  </>
);

function RevokeButton({ apiKey: { keyid, label } }: { apiKey: ApiKey }) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label={words.revoke}
      of={label}
      title={words.revokeTitle(label)}
      text={words.revokeText}
      action={() => call('revokeApiKey', { params: { keyid } })}
      onDone={() => {
        toasts.add({ title: words.revoked });
        void queries.invalidateQueries({ queryKey: ['api-keys'] });
      }}
    />
  );
}
