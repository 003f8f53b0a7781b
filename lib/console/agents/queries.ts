// Reads agents: the builds of flows in the registry.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type CallInput, type CallOutput, call } from '../api/client.ts';
import { useSession } from '../shell/session.tsx';

type ListFilters = Omit<
  NonNullable<CallInput<'listRegistryRows'>['query']>,
  'workspaceid' | 'limit' | 'cursor'
>;
export type Build = CallOutput<'promoteRegistryRow'>;
export type Diff = CallOutput<'diffRegistryRow'>;

const pageSize = '100';

/** The builds that match, newest first: all pages that were loaded. */
export function useBuilds(filters: ListFilters) {
  const { workspaceid } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['builds', workspaceid, filters],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      const page = await call(
        'listRegistryRows',
        { query: { ...filters, workspaceid, limit: pageSize, ...cursor } },
        { signal },
      );
      // Without `flow_list` the answer is a page of builds.
      return page as { readonly items: readonly Build[]; readonly nextCursor?: string };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
  const builds = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { builds, query };
}

/** `against` is a registry id or `live`. */
export function useDiff(id: string, against: string) {
  return useQuery({
    queryKey: ['diff', id, against],
    queryFn: ({ signal }) =>
      call('diffRegistryRow', { params: { a2aregistryid: id }, query: { against } }, { signal }),
    enabled: id !== '' && against !== '',
  });
}

export function useHistory(id: string) {
  return useInfiniteQuery({
    queryKey: ['history', id],
    queryFn: ({ pageParam, signal }) =>
      call(
        'getRegistryRowHistory',
        { params: { a2aregistryid: id }, query: pageParam === '' ? {} : { cursor: pageParam } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

export const agentPath = (flowid: string): string => `/agents/${encodeURIComponent(flowid)}`;
export const buildPath = (flowid: string, id: string): string => `${agentPath(flowid)}/builds/${id}`;
export const comparePath = (flowid: string, from: string, to: string): string =>
  `${agentPath(flowid)}/compare?${new URLSearchParams({ from, to })}`;
/** From the live build, or else the newest one, unless `from` is given. */
export const editPath = (flowid: string, from?: string): string =>
  `${agentPath(flowid)}/edit${from === undefined ? '' : `?${new URLSearchParams({ from })}`}`;
