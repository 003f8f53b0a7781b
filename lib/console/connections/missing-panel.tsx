// The connections that runs wait for, with the way to store them.
import { Link } from 'wouter';
import buttons from '../parts/button.module.css';
import { formPath } from '../parts/connection-path.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Panel } from '../parts/page.tsx';
import tables from '../parts/table.module.css';
import { useSession } from '../shell/session.tsx';
import { type MissingConnection, useMissing } from './queries.ts';
import { words } from './words.ts';

export function MissingPanel() {
  const { found: missing, bound } = useMissing();
  if (missing.length === 0) return null;
  return (
    <Panel title={words.missing}>
      <p className={tables.note}>
        {words.missingText} {bound !== undefined && words.missingBound(bound)}
      </p>
      <DataTable
        label={words.missing}
        items={missing}
        columns={columns}
        idOf={({ need }) => `${need.scope} ${need.connection}`}
        actions={(each) => <StoreIt missing={each} />}
      />
    </Panel>
  );
}

const columns: readonly Column<MissingConnection>[] = [
  {
    id: 'name',
    title: words.name,
    cell: ({ need }) => (
      <>
        {need.connection}
        <div className={tables.soft}>
          {words.types[need.type]} · {words.scopes[need.scope]}
        </div>
      </>
    ),
    isHeader: true,
  },
  { id: 'hosts', title: words.hosts, cell: ({ need }) => need.hosts.join(', '), isWide: true },
  {
    id: 'runs',
    title: words.runs,
    cell: ({ runs }) => <Link href="/runs?status=auth_required">{words.runsWait(runs.length)}</Link>,
  },
];

/** A person's own value, and an account that is connected in the browser, have a page of their own. */
function StoreIt({ missing: { need, runs, configuration_url } }: { missing: MissingConnection }) {
  const { may } = useSession();
  const { connection: name, type, scope, label, hosts } = need;
  if (scope === 'user' || need.oauth)
    return (
      <a href={configuration_url} className={buttons.button} aria-label={`${words.onPage}: ${name}`}>
        {words.onPage}
      </a>
    );
  if (!may('connections:write')) return null;
  return (
    <Link
      href={formPath({ name, type, scope, label, hosts, run: runs[0] })}
      className={buttons.primary}
      aria-label={`${words.store}: ${name}`}
    >
      {words.store}
    </Link>
  );
}
