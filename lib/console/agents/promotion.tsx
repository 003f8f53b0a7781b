// Promotes a build. A person sees what breaks and what else changes, the tests, and who called the live build last,
// before the button, which sends the version that they saw.
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import type { ReadBuild } from '../api/use-build.ts';
import buttons from '../parts/button.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useLatestRuns } from '../runs/queries.ts';
import { useSession } from '../shell/session.tsx';
import { useBuildName } from './build-names.tsx';
import styles from './build-page.module.css';
import type { Seen } from './changed-meanwhile.tsx';
import { DiffView } from './diff-view.tsx';
import { comparePath, type Diff, useDiff } from './queries.ts';
import { TestPanel } from './test-panel.tsx';
import { useChange } from './use-change.ts';
import { words } from './words.ts';

interface PromotionProps {
  readonly build: ReadBuild;
  readonly onDone: (before: Seen | undefined) => Promise<void>;
}

export function Promotion({ build, onDone }: PromotionProps) {
  const { a2aregistryid: id, flowid } = build.row;
  const query = useDiff(id, 'live');
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const { from } = query.data;
  return (
    <>
      <Panel
        title={words.whatChanges}
        aside={from !== undefined && <Link href={comparePath(flowid, from, id)}>{words.compare}</Link>}
      >
        {from === undefined ? (
          <p className={styles.none}>{words.nothingLive}</p>
        ) : (
          <DiffView diff={query.data} />
        )}
      </Panel>
      <TestPanel id={id} />
      {from !== undefined && <LastRuns id={from} />}
      <PromotePanel build={build} diff={query.data} onDone={onDone} />
    </>
  );
}

const runsShown = 5;

/** Lists of runs do not name who called; the page of a run does. */
function LastRuns({ id }: { id: string }) {
  const query = useLatestRuns({ a2aregistryid: id }, runsShown);
  const runs = query.data?.items ?? [];
  return (
    <Panel title={words.lastRuns}>
      {query.error && <Failure error={query.error} />}
      {query.isPending && <Loading />}
      {query.isSuccess && runs.length === 0 && <p className={styles.none}>{words.noRuns}</p>}
      <ul>
        {runs.map(({ workflow_id, status, trigger, environment, created_at }) => (
          <li key={workflow_id} className={styles.item}>
            <Link href={`/runs/${workflow_id}`}>{words.calledBy(trigger, environment)}</Link>
            <Status status={status} />
            <span className={styles.soft}>
              <Ago time={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function PromotePanel({ build: { row, etag }, diff, onDone }: PromotionProps & { readonly diff: Diff }) {
  const { may } = useSession();
  const nameOf = useBuildName();
  const { a2aregistryid, build_no, version } = row;
  const mayPromote = may('assistants.flows:update');
  const promote = useChange({
    send: () =>
      call(
        'promoteRegistryRow',
        { params: { a2aregistryid }, query: { expected_live: diff.from ?? 'none' } },
        { headers: { 'if-match': etag } },
      ),
    done: words.promoted(build_no),
    seen: { version, live: diff.from },
    onDone,
  });
  return (
    <Panel title={words.promoteTitle}>
      <div className={styles.action}>
        <p>{words.promoteText(build_no, diff.from && nameOf(diff.from))}</p>
        {diff.breaking && <p className={styles.bad}>{words.promoteBreaks}</p>}
        <button
          type="button"
          className={buttons.primary}
          disabled={!mayPromote || promote.isPending}
          onClick={() => promote.mutate()}
        >
          {words.promote}
        </button>
        {!mayPromote && <p className={styles.soft}>{words.mayNot}</p>}
      </div>
    </Panel>
  );
}
