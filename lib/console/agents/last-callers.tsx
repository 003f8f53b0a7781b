// Who has called an agent lately: whom a promotion concerns.
import { Link } from 'wouter';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { useCallerName } from '../runs/caller-name.ts';
import { type CallerCalls, callerKey, groupByCaller } from '../runs/callers.ts';
import { useLatestRuns } from '../runs/queries.ts';
import styles from './build-page.module.css';
import { words } from './words.ts';

/** One page of the list of runs. */
const runsMax = 100;

export function LastCallers({ flowid }: { flowid: string }) {
  const query = useLatestRuns({ flowid }, runsMax);
  const runs = query.data?.items ?? [];
  const isPartial = query.data?.nextCursor !== undefined;
  return (
    <Panel title={words.lastCallers}>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <p className={styles.none}>
          {runs.length === 0 ? words.noCallers : words.callersOf(runs.length, isPartial)}
        </p>
      )}
      <ul aria-label={words.lastCallers}>
        {groupByCaller(runs).map((caller) => (
          <Caller key={callerKey(caller)} flowid={flowid} caller={caller} />
        ))}
      </ul>
    </Panel>
  );
}

/** The name leads to the runs of the caller, or to the last one where they cannot be listed. */
function Caller({ flowid, caller }: { flowid: string; caller: CallerCalls }) {
  const nameOf = useCallerName();
  const { created_by, calls, builds, last } = caller;
  const lastRun = `/runs/${last.workflow_id}`;
  const runs = created_by !== undefined && `/runs?${new URLSearchParams({ flowid, created_by })}`;
  return (
    <li className={styles.item}>
      <Link href={runs || lastRun} title={created_by}>
        {nameOf(caller)}
      </Link>
      <span>{words.calls(calls)}</span>
      <span className={styles.soft}>{words.ofBuilds(builds)}</span>
      <span className={styles.soft}>
        {words.lastCall} <Ago time={last.created_at} />
      </span>
    </li>
  );
}
