// The runs that wait for people, with what they ask.
import { useQueries } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { AnswerForms, Needs } from '../runs/answer-form.tsx';
import { useWaitingRuns } from '../runs/found-runs.ts';
import type { RunDetail, RunSummary } from '../runs/queries.ts';
import { RunLine } from '../runs/run-line.tsx';
import { groupByNeeds } from './group-by-needs.ts';
import styles from './inbox-page.module.css';
import { words } from './words.ts';

const listedMax = 20;
const noRuns: readonly RunSummary[] = [];

export function InboxPage() {
  const { data, error, refetch } = useWaitingRuns(listedMax);
  const { runs = noRuns, hasMore = false, isPartial = false } = data ?? {};
  const details = useQueries({
    queries: runs.map(({ workflow_id }) => ({
      queryKey: ['run', workflow_id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('getRunDetail', { params: { workflow_id } }, { signal }),
    })),
  });
  const groups = groupByNeeds(
    runs.map((summary, at) => ({ summary, run: details[at]?.data, error: details[at]?.error })),
  );
  return (
    <Page title={words.inbox} lead={words.lead}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Loading />}
      {data && runs.length === 0 && !isPartial && (
        <Empty icon="inbox" title={words.empty}>
          {words.emptyText}
        </Empty>
      )}
      <ul className={styles.list}>
        {groups.map((group) => (
          <li key={group[0].summary.workflow_id} className={styles.item}>
            {group.map(({ summary }) => (
              <Head key={summary.workflow_id} run={summary} />
            ))}
            <Open waiting={group[0]} />
          </li>
        ))}
      </ul>
      {hasMore && <p className={styles.soft}>{words.more(runs.length)}</p>}
      {isPartial && <p className={styles.soft}>{words.olderUnknown}</p>}
    </Page>
  );
}

const Head = ({ run }: { run: RunSummary }) => (
  <p className={styles.head}>
    <RunLine run={run} />
  </p>
);

interface OpenProps {
  readonly waiting: { readonly run: RunDetail | undefined; readonly error: unknown };
}

/** What the run waits for, which is the same for all runs of a group. */
function Open({ waiting: { run, error } }: OpenProps) {
  if (error) return <Failure error={error} />;
  if (run?.status === 'input_required') return <AnswerForms run={run} />;
  if (run?.status === 'auth_required' && run.needs) return <Needs needs={run.needs} run={run.workflow_id} />;
  return null;
}
