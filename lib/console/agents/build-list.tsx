// The builds of an agent, newest first.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { LoadMore } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { useSortOrder } from '../parts/sort-order.ts';
import { Status, statusLabel } from '../parts/status.tsx';
import tables from '../parts/table.module.css';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { type Build, buildPath, comparePath, type useBuilds } from './queries.ts';
import { words } from './words.ts';

interface BuildListProps {
  readonly builds: readonly Build[];
  readonly query: ReturnType<typeof useBuilds>['query'];
}

export function BuildList({ builds, query }: BuildListProps) {
  const { me } = useSession();
  const { order } = useSortOrder();
  const live = builds.find(({ status }) => status === 'live');
  const columns = useMemo(() => columnsFor(me.id, live), [me.id, live]);
  return (
    <Panel title={words.buildCount(builds.length, query.hasNextPage)}>
      <DataTable
        label={words.builds}
        items={builds}
        columns={columns}
        idOf={({ a2aregistryid }) => a2aregistryid}
      />
      <LoadMore query={query} isSorted={order !== undefined} />
    </Panel>
  );
}

const columnsFor = (person: string, live: Build | undefined): readonly Column<Build>[] => [
  {
    id: 'build',
    title: words.build,
    sortBy: ({ build_no }) => build_no,
    cell: ({ flowid, a2aregistryid, build_no, label }) => (
      <>
        <Link href={buildPath(flowid, a2aregistryid)} data-row>
          {words.buildNo(build_no)}
        </Link>
        {label !== undefined && <span className={tables.soft}> {label}</span>}
      </>
    ),
    isHeader: true,
  },
  {
    id: 'status',
    title: words.status,
    sortBy: ({ status }) => statusLabel(status),
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'created',
    title: words.created,
    sortBy: ({ created_at }) => Date.parse(created_at),
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
  {
    id: 'creator',
    title: words.createdBy,
    sortBy: ({ created_by }) => (created_by === person ? words.you : created_by),
    cell: ({ created_by }) => (created_by === person ? words.you : <code>{created_by}</code>),
    isWide: true,
  },
  {
    id: 'compare',
    title: words.compare,
    cell: ({ flowid, a2aregistryid, status }) =>
      live &&
      status !== 'live' && (
        <Link href={comparePath(flowid, live.a2aregistryid, a2aregistryid)}>{words.compareWithLive}</Link>
      ),
    isWide: true,
  },
];
