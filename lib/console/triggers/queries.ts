// Reads triggers.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type CallInput, type CallOutput, call, send, serviceUrl } from '../api/client.ts';
import { useSession } from '../shell/session.tsx';
import type { Trigger } from './trigger-body.ts';

type TriggerFilters = Partial<NonNullable<CallInput<'listTriggers'>['query']>>;

export function useTriggers(filters: TriggerFilters) {
  const { workspaceid } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['triggers', workspaceid, filters],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listTriggers',
        { query: { ...filters, workspaceid, limit: '100', ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
  const triggers = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { triggers, query };
}

export interface ReadTrigger {
  readonly trigger: Trigger;
  /** A change names the version that it is based on. */
  readonly etag: string;
}

export const useTrigger = (trigger_id: string) =>
  useQuery({
    queryKey: ['trigger', trigger_id],
    queryFn: async ({ signal }): Promise<ReadTrigger> => {
      const response = await send('getTrigger', { params: { trigger_id } }, { signal });
      return { trigger: await response.json(), etag: response.headers.get('etag') ?? '*' };
    },
  });

export type NextRuns = CallOutput<'nextRuns'>;

export const useNextRuns = ({ trigger_id, version }: Trigger) =>
  useQuery({
    queryKey: ['next-runs', trigger_id, version],
    queryFn: ({ signal }) => call('nextRuns', { params: { trigger_id }, query: { count: '5' } }, { signal }),
  });

/** Where callers send their requests; undefined for a schedule, and where the caller may not see it. */
export function addressOf({
  kind,
  trigger_id,
  workspaceid,
  environment = 'live',
  source,
  webhook_url,
}: Trigger) {
  if (kind === 'schedule') return undefined;
  if (kind === 'webhook') return source ? webhook_url : serviceUrl(`/api/triggers/webhook/${trigger_id}`);
  const start = kind === 'background' ? '/start' : '';
  return serviceUrl(`/api/v1/ai/trigger${start}/${workspaceid}/${trigger_id}/${environment}`);
}
