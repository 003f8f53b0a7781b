// Filters of a list, kept in the query of the address, so that every state of a page has a link.
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

type Filters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** `names` must be a constant. An empty value removes a filter. */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams();
  const filters = useMemo(
    () =>
      Object.fromEntries(
        names.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
      ) as Filters<Name>,
    [names, search],
  );
  const setFilter = useCallback(
    (name: Name, value: string) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  const clear = useCallback(
    () =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const name of names) next.delete(name);
          return next;
        },
        { replace: true },
      ),
    [names, setSearch],
  );
  return { filters, setFilter, clear };
}
