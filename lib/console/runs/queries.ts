// Reads runs.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type CallInput, type CallOutput, call } from '../api/client.ts';
import { useSession } from '../shell/session.tsx';

export type RunSummary = CallOutput<'listRuns'>['items'][number];
export type RunDetail = CallOutput<'getRunDetail'>;
type RunFilters = Partial<NonNullable<CallInput<'listRuns'>['query']>>;

const refreshMs = 5_000;
const pageSize = 100;

/** All pages that were loaded. The first one is read again every few seconds as long as it is the only one. */
export function useRuns(filters: RunFilters) {
  const { workspaceid } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['runs', workspaceid, filters],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listRuns',
        {
          query: {
            ...filters,
            workspaceid,
            limit: String(pageSize),
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 ? refreshMs : false),
    placeholderData: (before) => before,
  });
  const runs = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { runs, query };
}

/** The newest runs with these filters, refreshed. */
export function useLatestRuns(filters: RunFilters, limit: number) {
  const { workspaceid } = useSession();
  return useQuery({
    queryKey: ['latest-runs', workspaceid, filters, limit],
    queryFn: ({ signal }) =>
      call('listRuns', { query: { ...filters, workspaceid, limit: String(limit) } }, { signal }),
    refetchInterval: refreshMs,
  });
}
