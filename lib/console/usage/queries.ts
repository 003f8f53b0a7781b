// Reads usage and budgets.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type CallOutput, call } from '../api/client.ts';
import { useLoadOn } from '../parts/load-on.ts';
import type { By } from './sums.ts';

export type UsageRow = CallOutput<'listUsage'>['items'][number];
export type Budget = CallOutput<'listBudgets'>['items'][number];

export const groups = ['workspace', 'flow', 'key', 'model'] as const;
export type Group = (typeof groups)[number];

export interface UsageQuery {
  readonly from: string;
  readonly to: string;
  readonly by: By;
  readonly group?: Group | undefined;
  readonly workspaceid?: string | undefined;
}

const none: readonly UsageRow[] = [];

/** Page after page, until ten are loaded. */
export function useUsage(asked: UsageQuery) {
  const query = useInfiniteQuery({
    queryKey: ['usage', asked],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listUsage',
        { query: { ...asked, limit: '200', ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages, pageParams }) => ({ pages, pageParams, rows: pages.flatMap(({ items }) => items) }),
    refetchOnWindowFocus: false,
  });
  useLoadOn(query, true);
  return { query, rows: query.data?.rows ?? none };
}

export const useBudgets = () =>
  useQuery({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => call('listBudgets', { query: {} }, { signal }),
  });
