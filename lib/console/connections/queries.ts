// Reads connections, who uses them, and which are missing.
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../api/client.ts';
import { useWaitingRuns } from '../runs/found-runs.ts';
import type { RunDetail } from '../runs/queries.ts';
import { useSession } from '../shell/session.tsx';

/** One request for each agent and each run: more would use up the rate of the person. */
const agentsMax = 20;
const needing = ['auth_required'] as const;
const waitingMax = 20;

export function useConnections() {
  const { workspaceid } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['connections', workspaceid],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listConnections',
        { query: { workspaceid, limit: '100', ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const connections = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { connections, query };
}

/** With how many were looked at, if there are more. */
interface Bounded<Found> {
  readonly found: Found;
  readonly bound: number | undefined;
}

/** The flows of live agents by the connections that they declare, of the first ones. */
export function useUsers(): Bounded<ReadonlyMap<string, readonly string[]>> {
  const { workspaceid } = useSession();
  const rows = useQuery({
    queryKey: ['connection-users', workspaceid],
    queryFn: ({ signal }) =>
      call(
        'listRegistryRows',
        { query: { workspaceid, status: ['live'], limit: String(agentsMax) } },
        { signal },
      ),
    staleTime: 60_000,
  });
  const live = rows.data && 'items' in rows.data ? rows.data.items : [];
  const found = useQueries({
    queries: live.flatMap((row) =>
      'a2aregistryid' in row
        ? [
            {
              queryKey: ['manifest', row.a2aregistryid],
              queryFn: () =>
                call('getRegistryRow', {
                  params: { a2aregistryid: row.a2aregistryid },
                  query: { flow: 'true' },
                }),
              staleTime: 300_000,
            } as const,
          ]
        : [],
    ),
    combine: (results) => {
      const users = new Map<string, string[]>();
      for (const { data } of results)
        for (const name of data?.manifest?.connections ?? [])
          users.set(name, [...(users.get(name) ?? []), data?.flowid ?? '']);
      return users;
    },
  });
  return { found, bound: rows.data?.nextCursor === undefined ? undefined : agentsMax };
}

type Need = NonNullable<RunDetail['needs']>['connections'][number];
export interface MissingConnection {
  readonly need: Need;
  readonly runs: readonly string[];
  /** Where a person connects an account. */
  readonly configuration_url: string;
}

/** What the newest runs that wait for connections need. */
export function useMissing(): Bounded<readonly MissingConnection[]> {
  const { data } = useWaitingRuns(waitingMax, needing);
  const found = useQueries({
    queries: (data?.runs ?? []).map(({ workflow_id }) => ({
      queryKey: ['run', workflow_id],
      queryFn: () => call('getRunDetail', { params: { workflow_id } }),
    })),
    combine: (results) => {
      const missing = new Map<string, MissingConnection>();
      for (const { data: run } of results) {
        if (run?.status !== 'auth_required' || !run.needs) continue;
        for (const need of run.needs.connections) {
          const key = `${need.scope} ${need.connection}`;
          const runs = [...(missing.get(key)?.runs ?? []), run.workflow_id];
          missing.set(key, { need, runs, configuration_url: run.needs.configuration_url });
        }
      }
      return [...missing.values()];
    },
  });
  return { found, bound: data?.hasMore || data?.isPartial ? waitingMax : undefined };
}
