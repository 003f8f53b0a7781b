// Reads API keys.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type CallOutput, call } from '../api/client.ts';

export type ApiKey = CallOutput<'listApiKeys'>['items'][number];
export type KeyState = 'enabled' | 'revoked' | 'expired';

export function useApiKeys(isEnabled = true) {
  const query = useInfiniteQuery({
    enabled: isEnabled,
    queryKey: ['api-keys'],
    queryFn: ({ pageParam, signal }) =>
      call('listApiKeys', { query: { limit: '100', ...(pageParam && { cursor: pageParam }) } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const keys = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { keys, query };
}

export function stateOf({ revoked_at, expires_at }: ApiKey, now: number): KeyState {
  if (revoked_at !== undefined) return 'revoked';
  return Date.parse(expires_at) <= now ? 'expired' : 'enabled';
}
