// Runs that are looked for by their status among all runs, not only the newest. Each request looks at 10,000 runs at
// most, so what is read of a long list is bounded, and refreshed less often than the newest runs.
import { useQuery } from '@tanstack/react-query';
import { type CallInput, call } from '../api/client.ts';
import { useSession } from '../shell/session.tsx';
import type { RunSummary } from './queries.ts';

type Status = RunSummary['status'];

/** Where few runs match, the cursor of a request leads to the 10,000 before. */
const pagesMax = 3;
const refreshMs = 30_000;
const dayMs = 86_400_000;

export interface FoundRuns {
  readonly runs: readonly RunSummary[];
  /** There are others with these statuses. */
  readonly hasMore: boolean;
  /** Not all runs were looked at. */
  readonly isPartial: boolean;
}

/** Those that wait for an answer or for a connection, however old they are. */
export const useWaitingRuns = (
  listedMax: number,
  statuses: readonly Status[] = ['input_required', 'auth_required'],
) => useFoundRuns(statuses, listedMax);

/** Those that started in the last 24 hours and failed. */
export const useFailedRuns = (listedMax: number) => useFoundRuns(['failed'], listedMax, dayMs);

function useFoundRuns(statuses: readonly Status[], listedMax: number, ageMs?: number) {
  const { workspaceid } = useSession();
  return useQuery({
    queryKey: ['found-runs', workspaceid, statuses, listedMax, ageMs],
    queryFn: ({ signal }) => {
      const from = ageMs === undefined ? undefined : new Date(Date.now() - ageMs).toISOString();
      const query = { workspaceid, status: [...statuses], ...(from !== undefined && { from }) };
      return readFound(query, listedMax, signal);
    },
    refetchInterval: refreshMs,
  });
}

type Query = NonNullable<CallInput<'listRuns'>['query']>;

async function readFound(query: Query, listedMax: number, signal: AbortSignal): Promise<FoundRuns> {
  const runs: RunSummary[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const limit = String(listedMax);
    const page = await call(
      'listRuns',
      { query: { ...query, limit, ...(cursor !== undefined && { cursor }) } },
      { signal },
    );
    runs.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined || runs.length >= listedMax) break;
  }
  const isFull = runs.length >= listedMax;
  return {
    runs: runs.slice(0, listedMax),
    hasMore: runs.length > listedMax || (isFull && cursor !== undefined),
    isPartial: !isFull && cursor !== undefined,
  };
}
