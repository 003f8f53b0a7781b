// Which runs of the inbox go on with the same connections, so that these are asked for once. Pure.

interface Connection {
  readonly connection: string;
  readonly scope: 'organization' | 'user';
}

interface Waiting {
  readonly summary: { readonly workflow_id: string };
  /** Undefined until it is read. */
  readonly run:
    | {
        readonly status: string;
        readonly needs?: { readonly connections: readonly Connection[] } | undefined;
      }
    | undefined;
}

/** In the order of the first run of each group. */
export function groupByNeeds<Run extends Waiting>(
  waiting: readonly Run[],
): readonly (readonly [Run, ...Run[]])[] {
  const groups = new Map<string, readonly [Run, ...Run[]]>();
  for (const each of waiting) {
    const key = needsKey(each);
    const before = groups.get(key);
    groups.set(key, before ? [...before, each] : [each]);
  }
  return [...groups.values()];
}

/** The value of a person is stored for the runs of that person, so only those of the workspace are shared. */
function needsKey({ summary: { workflow_id }, run }: Waiting): string {
  const { connections = [] } = (run?.status === 'auth_required' && run.needs) || {};
  const isShared = connections.length > 0 && connections.every(({ scope }) => scope === 'organization');
  return isShared
    ? JSON.stringify(connections.toSorted((a, b) => (a.connection < b.connection ? -1 : 1)))
    : workflow_id;
}
