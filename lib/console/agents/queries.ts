// Reads agents: the builds of flows in the registry.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type CallInput, type CallOutput, call } from '../api/client.ts';
import { useSession } from '../shell/session.tsx';

type ListFilters = Omit<
  NonNullable<CallInput<'listRegistryRows'>['query']>,
  'workspaceid' | 'limit' | 'cursor'
>;
export type Build = CallOutput<'promoteRegistryRow'>;

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

export const agentPath = (flowid: string): string => `/agents/${encodeURIComponent(flowid)}`;
export const buildsPath = (flowid: string): string => `${agentPath(flowid)}?view=builds`;
