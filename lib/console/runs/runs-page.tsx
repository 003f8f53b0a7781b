// The runs of the workspace. The filters are in the address, and the newest runs appear by themselves.
import { Link } from 'wouter';
import type { CallInput } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, NoMatches } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { useRuns } from './queries.ts';
import { hiddenFilters, RunFilters } from './run-filters.tsx';
import { RunTable } from './run-table.tsx';
import { words } from './words.ts';

const filterNames = ['status', 'flowid', 'environment', 'trigger', ...hiddenFilters] as const;

type RunFilterValues = Partial<NonNullable<CallInput<'listRuns'>['query']>>;

export function RunsPage() {
  const { filters, setFilter, clear } = useFilters(filterNames);
  // What the address names is checked by the service, whose answer is shown.
  const { status, ...others } = filters;
  const { runs, query } = useRuns({ ...others, ...(status && { status: [status] }) } as RunFilterValues);
  const { may } = useSession();
  const hasFilters = Object.keys(filters).length > 0;
  return (
    <Page
      title={words.runs}
      lead={words.lead}
      aside={
        <Link href="/dead-letters" className={buttons.button}>
          {words.deadLetters}
        </Link>
      }
    >
      <RunFilters filters={filters} setFilter={setFilter} clear={clear} />
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <Panel title={words.shown(runs.length, query.hasNextPage)}>
          {runs.length > 0 && <RunTable runs={runs} query={query} />}
          {runs.length === 0 && !hasFilters && (
            <Empty
              icon="runs"
              title={words.noRuns}
              action={
                may('assistants.flows:run') && (
                  <Link href="/playground" className={buttons.primary}>
                    {words.talk}
                  </Link>
                )
              }
            >
              {words.noRunsText}
            </Empty>
          )}
          {runs.length === 0 && hasFilters && (
            <NoMatches icon="runs" title={words.noMatches} onClear={clear} />
          )}
        </Panel>
      )}
    </Page>
  );
}
