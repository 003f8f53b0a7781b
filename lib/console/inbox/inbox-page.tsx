// The runs that wait for people, with what they ask.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { AnswerForms, Needs } from '../runs/answer-form.tsx';
import { useWaitingRuns } from '../runs/found-runs.ts';
import type { RunSummary } from '../runs/queries.ts';
import styles from './inbox-page.module.css';
import { words } from './words.ts';

const listedMax = 20;

export function InboxPage() {
  const { data, error, refetch } = useWaitingRuns(listedMax);
  const { runs = [], hasMore = false, isPartial = false } = data ?? {};
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
        {runs.map((run) => (
          <WaitingRun key={run.workflow_id} summary={run} />
        ))}
      </ul>
      {hasMore && <p className={styles.soft}>{words.more(runs.length)}</p>}
      {isPartial && <p className={styles.soft}>{words.olderUnknown}</p>}
    </Page>
  );
}

function WaitingRun({ summary: { workflow_id, flowid, status, created_at } }: { summary: RunSummary }) {
  const { data: run, error } = useQuery({
    queryKey: ['run', workflow_id],
    queryFn: ({ signal }) => call('getRunDetail', { params: { workflow_id } }, { signal }),
  });
  return (
    <li className={styles.item}>
      <p className={styles.head}>
        <Link href={`/runs/${workflow_id}`} data-row>
          {flowid}
        </Link>
        <Status status={status} />
        <span className={styles.soft}>
          <Ago time={created_at} />
        </span>
      </p>
      {error && <Failure error={error} />}
      {run?.status === 'input_required' && <AnswerForms run={run} />}
      {run?.status === 'auth_required' && run.needs && <Needs needs={run.needs} run={run.workflow_id} />}
    </li>
  );
}
