// Promotes a build. A person sees what breaks and what else changes, the tests, and who has called the agent last,
// before the button, which sends the version that they saw.
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import type { ReadBuild } from '../api/use-build.ts';
import buttons from '../parts/button.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { useBuildName } from './build-names.tsx';
import styles from './build-page.module.css';
import type { Seen } from './changed-meanwhile.tsx';
import { DiffView } from './diff-view.tsx';
import { LastCallers } from './last-callers.tsx';
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
      <LastCallers flowid={flowid} />
      <PromotePanel build={build} diff={query.data} onDone={onDone} />
    </>
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
