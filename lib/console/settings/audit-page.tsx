// The audit trail of the workspace or of the organisation. The filters are in the address.
import { useInfiniteQuery } from '@tanstack/react-query';
import { type CallOutput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { formatFull } from '../parts/format.ts';
import { Empty, Failure, Loading, LoadMore } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { words as common } from '../parts/words.ts';
import { useSession } from '../shell/session.tsx';
import { useMembers } from './queries.ts';
import styles from './settings.module.css';
import { words } from './words.ts';

type AuditRecord = CallOutput<'listAudit'>['items'][number];

const filterNames = ['scope', 'from', 'to'] as const;
const pageSize = '50';

export function AuditPage() {
  const { me } = useSession();
  const { filters, setFilter, clear } = useFilters(filterNames);
  const query = useAudit(filters);
  const records = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title={words.audit} lead={words.auditLead}>
      <search className={fields.row}>
        {me.workspaces === '*' && (
          <select
            className={fields.input}
            aria-label={words.scope}
            value={filters.scope ?? ''}
            onChange={({ target }) => setFilter('scope', target.value)}
          >
            <option value="">{words.ofWorkspace}</option>
            <option value="organisation">{words.ofOrganisation}</option>
          </select>
        )}
        {(['from', 'to'] as const).map((name) => (
          <label key={name} className={styles.day}>
            {words[name]}
            <input
              className={fields.input}
              type="date"
              value={filters[name] ?? ''}
              onChange={({ target }) => setFilter(name, target.value)}
            />
          </label>
        ))}
        {Object.keys(filters).length > 0 && (
          <button type="button" className={buttons.button} onClick={clear}>
            {words.clear}
          </button>
        )}
      </search>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <Panel title={words.records(records.length, query.hasNextPage)}>
          {records.length > 0 ? (
            <RecordTable records={records} />
          ) : (
            <Empty icon="runs" title={words.noRecords}>
              {words.noRecordsText}
            </Empty>
          )}
          <LoadMore query={query} />
        </Panel>
      )}
    </Page>
  );
}

function useAudit({ scope, from, to }: Readonly<Partial<Record<(typeof filterNames)[number], string>>>) {
  const { workspaceid } = useSession();
  return useInfiniteQuery({
    queryKey: ['audit', workspaceid, scope, from, to],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listAudit',
        {
          query: {
            ...(scope !== 'organisation' && { workspaceid }),
            ...(from !== undefined && { from: startOf(from) }),
            ...(to !== undefined && { to: endOf(to) }),
            limit: pageSize,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
}

/** Days are those of the person; what is no day is left to the service, whose answer is shown. */
const startOf = (day: string): string => toTime(day, 'T00:00:00');
const endOf = (day: string): string => toTime(day, 'T23:59:59.999');

function toTime(day: string, time: string): string {
  const date = new Date(`${day}${time}`);
  return Number.isNaN(date.getTime()) ? day : date.toISOString();
}

function RecordTable({ records }: { records: readonly AuditRecord[] }) {
  const { may } = useSession();
  const members = useMembers(may('members:read'));
  const nameOf = (id: string): string => {
    const member = members.data?.find(({ userid }) => userid === id);
    return member?.name ?? member?.email ?? id;
  };
  return (
    <table className={styles.table} aria-label={words.audit}>
      <thead>
        <tr>
          <th>{words.time}</th>
          <th>{words.operation}</th>
          <th>{words.caller}</th>
          <th className={styles.wide}>{words.resource}</th>
          <th>{words.answer}</th>
        </tr>
      </thead>
      <tbody>
        {records.map(({ at, requestid, operation, caller, root, resource, status, code }) => (
          <tr key={`${at} ${requestid}`}>
            <td>
              <time dateTime={at} title={`${common.requestId} ${requestid}`}>
                {formatFull(at)}
              </time>
            </td>
            <td>
              <code>{operation}</code>
            </td>
            <td>{nameOf(root ?? caller)}</td>
            <td className={styles.wide}>{resource && <code>{resource}</code>}</td>
            <td className={status >= 400 ? styles.bad : undefined}>
              {status}
              {code && <code> {code}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
