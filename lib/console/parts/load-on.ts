// Filters of lists that the API does not filter: they act on the pages that were read, and more pages are read until
// something matches.
import { useEffect } from 'react';

interface PagedQuery {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Then the person decides whether to read on. */
const pagesMax = 10;

export function useLoadOn(query: PagedQuery, isNoneShown: boolean): void {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const count = data?.pages.length ?? 0;
  const isNeeded = isNoneShown && hasNextPage && !isFetching && !isError && count > 0 && count < pagesMax;
  useEffect(() => {
    if (isNeeded) void fetchNextPage();
  }, [isNeeded, fetchNextPage]);
}
