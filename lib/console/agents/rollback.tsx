// Brings back the build that was live before. It stands where the promotion of a test build is.
import { useEffect } from 'react';
import { call } from '../api/client.ts';
import type { ReadBuild } from '../api/use-build.ts';
import buttons from '../parts/button.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { useBuildName } from './build-names.tsx';
import styles from './build-page.module.css';
import type { Seen } from './changed-meanwhile.tsx';
import { useHistory } from './queries.ts';
import { useChange } from './use-change.ts';
import { words } from './words.ts';

interface RollbackProps {
  readonly build: ReadBuild;
  readonly onDone: (before: Seen | undefined) => Promise<void>;
}

export function Rollback({ build: { row, etag }, onDone }: RollbackProps) {
  const { may } = useSession();
  const nameOf = useBuildName();
  const { a2aregistryid, build_no, version } = row;
  const history = useHistory(a2aregistryid);
  const entries = history.data?.pages.flatMap(({ items }) => items) ?? [];
  // A rollback goes back to the build over which this one was promoted.
  const promotion = entries.find(({ action }) => action === 'promoted');
  const former = promotion?.demoted;
  const mayRollBack = may('assistants.flows:update');
  const rollBack = useChange({
    send: () => call('rollBackRegistryRow', { params: { a2aregistryid } }, { headers: { 'if-match': etag } }),
    done: words.rolledBack,
    seen: { version, live: a2aregistryid },
    onDone,
  });
  // The promotion may be further back than the first page: updates of the live build follow it.
  const isReading = !promotion && (history.isPending || history.hasNextPage);
  const { isFetching, isError, fetchNextPage } = history;
  useEffect(() => {
    if (isReading && !isFetching && !isError) void fetchNextPage();
  }, [isReading, isFetching, isError, fetchNextPage]);
  if (isError) return <Failure error={history.error} onRetry={() => void history.refetch()} />;
  if (isReading) return <Loading />;
  return (
    <Panel title={words.rollBackTitle}>
      <div className={styles.action}>
        <p>
          {former === undefined ? words.noFormer(build_no) : words.rollBackText(build_no, nameOf(former))}
        </p>
        <button
          type="button"
          className={buttons.danger}
          disabled={!mayRollBack || former === undefined || rollBack.isPending}
          onClick={() => rollBack.mutate()}
        >
          {words.rollBack}
        </button>
        {!mayRollBack && <p className={styles.soft}>{words.mayNot}</p>}
      </div>
    </Panel>
  );
}
