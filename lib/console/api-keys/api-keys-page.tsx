// The API keys of the organisation.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Curl } from '../parts/curl.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { formatDay } from '../parts/format.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { useLoadOn } from '../parts/load-on.ts';
import { Page, Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import tables from '../parts/table.module.css';
import { Ago, useNow } from '../parts/time.tsx';
import { words as common } from '../parts/words.ts';
import { useSession } from '../shell/session.tsx';
import { type ApiKey, type KeyState, stateOf, useApiKeys } from './queries.ts';
import { words } from './words.ts';

const filterNames = ['state'] as const;

export function ApiKeysPage() {
  const { may } = useSession();
  const now = useNow(60_000);
  const { filters, setFilter, clear } = useFilters(filterNames);
  const { keys, query } = useApiKeys();
  const shown = keys.filter((key) => (filters.state ?? stateOf(key, now)) === stateOf(key, now));
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
          <LoadMore query={query} isFiltered={filters.state !== undefined} />
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
  const { may } = useSession();
  return (
    <table className={tables.table} aria-label={words.keys}>
      <thead>
        <tr>
          <th scope="col">{words.key}</th>
          <th scope="col" className={tables.wide}>
            {words.workspaces}
          </th>
          <th scope="col">{words.state}</th>
          <th scope="col" className={tables.wide}>
            {words.lastUsed}
          </th>
          {may('apikeys:delete') && (
            <th scope="col">
              <span className="visually-hidden">{common.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <Row key={key.keyid} apiKey={key} state={stateOf(key, now)} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ apiKey, state }: { apiKey: ApiKey; state: KeyState }) {
  const { keyid, label, scopes, workspaces, expires_at, last_used_at } = apiKey;
  const { may, me } = useSession();
  const names =
    workspaces === '*'
      ? words.allWorkspaces
      : workspaces.map((id) => me.workspace_names[id] ?? id).join(', ');
  return (
    <tr>
      <th scope="row">
        {label}
        <div className={tables.soft}>
          <code>{keyid}</code>
        </div>
        <details className={tables.details}>
          <summary>{words.rightsCount(scopes.length)}</summary>
          {scopes.join(', ')}
        </details>
      </th>
      <td className={tables.wide}>{names}</td>
      <td>
        <Status status={state} />
        <div className={tables.soft}>
          {words.expires} {formatDay(expires_at)}
        </div>
      </td>
      <td className={`${tables.wide} ${tables.soft}`}>
        {last_used_at === undefined ? words.never : <Ago time={last_used_at} />}
      </td>
      {may('apikeys:delete') && (
        <td>
          <div className={tables.buttons}>{state === 'enabled' && <RevokeButton apiKey={apiKey} />}</div>
        </td>
      )}
    </tr>
  );
}

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
