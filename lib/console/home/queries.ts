// The runs that the home page lists by their status: the API looks for them among all runs, not only the newest.
import { useQuery } from '@tanstack/react-query';
import { type CallInput, call } from '../api/client.ts';
import type { RunSummary } from '../runs/queries.ts';
import { useSession } from '../shell/session.tsx';

type Status = NonNullable<NonNullable<CallInput<'listRuns'>['query']>['status']>;

const listedMax = 6;
/** Where few runs match, a request looks at 10,000 of them, and its cursor leads to those before. */
const pagesMax = 3;
const refreshMs = 30_000;
const dayMs = 86_400_000;

export interface NewestRuns {
  readonly runs: readonly RunSummary[];
  /** There are others with these statuses. */
  readonly hasMore: boolean;
  /** Not all runs were looked at. */
  readonly isPartial: boolean;
}

/** Those that wait for an answer or for a connection, however old they are. */
export const useWaitingRuns = () => useNewestRuns(['input_required', 'auth_required']);

/** Those that started in the last 24 hours and failed. */
export const useFailedRuns = () => useNewestRuns(['failed'], dayMs);

function useNewestRuns(statuses: readonly Status[], ageMs?: number) {
  const { workspaceid } = useSession();
  return useQuery({
    queryKey: ['newest-runs', workspaceid, statuses, ageMs],
    queryFn: async ({ signal }) => {
      const from = ageMs === undefined ? undefined : new Date(Date.now() - ageMs).toISOString();
      const query = { workspaceid, limit: String(listedMax), ...(from !== undefined && { from }) };
      return merge(await Promise.all(statuses.map((status) => readNewest({ ...query, status }, signal))));
    },
    refetchInterval: refreshMs,
  });
}

async function readNewest(query: CallInput<'listRuns'>['query'], signal: AbortSignal): Promise<NewestRuns> {
  const runs: RunSummary[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await call(
      'listRuns',
      { query: { ...query, ...(cursor !== undefined && { cursor }) } },
      { signal },
    );
    runs.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined || runs.length >= listedMax) break;
  }
  const isFull = runs.length >= listedMax;
  return { runs, hasMore: isFull && cursor !== undefined, isPartial: !isFull && cursor !== undefined };
}

function merge(lists: readonly NewestRuns[]): NewestRuns {
  const all = lists
    .flatMap(({ runs }) => runs)
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  return {
    runs: all.slice(0, listedMax),
    hasMore: all.length > listedMax || lists.some(({ hasMore }) => hasMore),
    isPartial: lists.some(({ isPartial }) => isPartial),
  };
}
