// How many runs of the last days have which status; each count leads to its runs.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import { formatCount, formatFull } from '../parts/format.ts';
import { Failure } from '../parts/list-state.tsx';
import { Status } from '../parts/status.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './run-counts.module.css';
import { countedDays, words } from './words.ts';

const refreshMs = 30_000;
const dayMs = 86_400_000;

export function RunCounts() {
  const { workspaceid } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['run-counts', workspaceid],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - countedDays * dayMs).toISOString();
      return call('summarizeRuns', { query: { workspaceid, from, by: ['status'] } }, { signal });
    },
    refetchInterval: refreshMs,
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <div className={styles.counts}>
      <p className={styles.of}>
        {data.since === undefined
          ? words.counted(formatCount(data.runs))
          : words.countedSince(formatCount(data.runs), formatFull(data.since))}
      </p>
      <ul className={styles.list} aria-label={words.byStatus}>
        {data.counts.map(({ status = '', runs }) => (
          <li key={status}>
            <Link href={`/runs?status=${status}`} className={styles.count}>
              <Status status={status} />
              <strong>{formatCount(runs)}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
