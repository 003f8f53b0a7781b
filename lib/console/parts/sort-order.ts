// By which column a table is sorted, kept in the query of the address as the filters are: `sort=name`, or `sort=-name`
// for the descending order.
import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

export interface SortOrder {
  readonly id: string;
  readonly desc: boolean;
}

/** Undefined is the order of the API. */
export function useSortOrder() {
  const [search, setSearch] = useSearchParams();
  const order = readSortOrder(search.get('sort'));
  const setOrder = useCallback(
    (next: SortOrder | undefined) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          if (next) after.set('sort', writeSortOrder(next));
          else after.delete('sort');
          return after;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return { order, setOrder };
}

export const readSortOrder = (text: string | null): SortOrder | undefined =>
  text ? { id: text.replace(/^-/, ''), desc: text.startsWith('-') } : undefined;

export const writeSortOrder = ({ id, desc }: SortOrder): string => `${desc ? '-' : ''}${id}`;
