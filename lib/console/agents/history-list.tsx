// The changes of a build, newest first.
import { Failure, Loading, LoadMore } from '../parts/list-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { BuildLink } from './build-names.tsx';
import styles from './build-page.module.css';
import { useHistory } from './queries.ts';
import { words } from './words.ts';

export function HistoryList({ id, flowid }: { id: string; flowid: string }) {
  const { me } = useSession();
  const query = useHistory(id);
  const entries = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      <ol aria-label={words.history}>
        {entries.map(({ version, action, by, at, demoted, successor, changed = [] }) => (
          <li key={`${version} ${action}`} className={styles.entry}>
            <strong>{words.actions[action]}</strong>
            <span className={styles.soft}>
              {words.by(by === me.id ? words.you : by)}
              {' · '}
              <Ago time={at} />
            </span>
            {changed.length > 0 && <span className={styles.soft}>{changed.join(', ')}</span>}
            {demoted !== undefined && (
              <span>
                {words.inPlaceOf} <BuildLink flowid={flowid} id={demoted} />
              </span>
            )}
            {successor !== undefined && (
              <span>
                {words.followedBy} <BuildLink flowid={flowid} id={successor} />
              </span>
            )}
          </li>
        ))}
      </ol>
      <LoadMore query={query} />
    </>
  );
}
