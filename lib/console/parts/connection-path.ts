// The address of the form that stores a connection, filled in as far as it is known. Pure.
interface Prefilled {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly scope?: string | undefined;
  readonly label?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  /** The run to go back to. */
  readonly run?: string | undefined;
}

/** The page with the form of a connection. Nothing in the address is secret. */
export function formPath({ hosts, ...prefilled }: Prefilled): string {
  const given = Object.entries(prefilled).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  const search = new URLSearchParams(given);
  if (hosts) search.set('hosts', hosts.join(' '));
  return search.size > 0 ? `/connections/new?${search}` : '/connections/new';
}
