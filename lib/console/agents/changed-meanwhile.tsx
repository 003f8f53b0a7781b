// A change was refused because somebody else was faster: what is different now.
import { Link } from 'wouter';
import type { BuildWithFlow } from '../api/use-build.ts';
import { useSession } from '../shell/session.tsx';
import { useBuildName } from './build-names.tsx';
import styles from './build-page.module.css';
import { agentPath, useDiff, useHistory } from './queries.ts';
import { words } from './words.ts';

/** What a person had in front of them when they pressed the button. */
export interface Seen {
  readonly version: number;
  /** The live build of the flow, if there was one. */
  readonly live: string | undefined;
}

export function ChangedMeanwhile({ seen, row }: { seen: Seen; row: BuildWithFlow }) {
  const history = useHistory(row.a2aregistryid);
  const diff = useDiff(row.a2aregistryid, 'live');
  const nameOf = useBuildName();
  const { me } = useSession();
  const entries = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const changes = entries.filter(({ version }) => version > seen.version);
  const live = row.status === 'live' ? row.a2aregistryid : diff.data?.from;
  const isOtherLive = diff.isSuccess && live !== seen.live;
  return (
    <section className={styles.notice} role="alert">
      <h2>{words.changedMeanwhile}</h2>
      <p>{words.changedText}</p>
      <ul>
        {isOtherLive && (
          <li>
            {words.liveWas(seen.live === undefined ? undefined : nameOf(seen.live))}{' '}
            {words.liveIs(live === undefined ? undefined : nameOf(live))}
          </li>
        )}
        {changes.map(({ version, action, by, changed = [] }) => (
          <li key={version}>
            {words.changeBy(words.actions[action], by === me.id ? words.you : by, changed)}
          </li>
        ))}
      </ul>
      <p>
        <Link href={`${agentPath(row.flowid)}?view=builds`}>{words.allBuilds}</Link>
      </p>
    </section>
  );
}
