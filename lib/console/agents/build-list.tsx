// The builds of an agent, newest first.
import { Link } from 'wouter';
import { LoadMore } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './build-list.module.css';
import { type Build, buildPath, comparePath, type useBuilds } from './queries.ts';
import { words } from './words.ts';

interface BuildListProps {
  readonly builds: readonly Build[];
  readonly query: ReturnType<typeof useBuilds>['query'];
}

export function BuildList({ builds, query }: BuildListProps) {
  const { me } = useSession();
  const live = builds.find(({ status }) => status === 'live');
  return (
    <Panel title={words.buildCount(builds.length, query.hasNextPage)}>
      <table className={styles.table} aria-label={words.builds}>
        <thead>
          <tr>
            <th scope="col">{words.build}</th>
            <th scope="col">{words.status}</th>
            <th scope="col">{words.created}</th>
            <th scope="col" className={styles.wide}>
              {words.createdBy}
            </th>
            <th scope="col" className={styles.wide}>
              {words.compare}
            </th>
          </tr>
        </thead>
        <tbody>
          {builds.map(({ a2aregistryid: id, flowid, build_no, label, status, created_at, created_by }) => (
            <tr key={id}>
              <td>
                <Link href={buildPath(flowid, id)}>{words.buildNo(build_no)}</Link>
                {label !== undefined && <span className={styles.soft}> {label}</span>}
              </td>
              <td>
                <Status status={status} />
              </td>
              <td>
                <Ago time={created_at} />
              </td>
              <td className={styles.wide}>{created_by === me.id ? words.you : <code>{created_by}</code>}</td>
              <td className={styles.wide}>
                {live && status !== 'live' && (
                  <Link href={comparePath(flowid, live.a2aregistryid, id)}>{words.compareWithLive}</Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <LoadMore query={query} />
    </Panel>
  );
}
