// Reads dead letters, puts them back into the queue, and dismisses them.
import { Toast } from '@base-ui/react/toast';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type CallOutput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import { useSession } from '../shell/session.tsx';
import { words } from './words.ts';

export type DeadLetter = CallOutput<'listDeadLetters'>['items'][number];

export function useDeadLetters() {
  const { workspaceid } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['dead-letters', workspaceid],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listDeadLetters',
        { query: { workspaceid, limit: '100', ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const letters = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { letters, query };
}

interface Redriven {
  readonly redriven: number;
  readonly failed: readonly string[];
  /** Why the first of them failed. */
  readonly error: unknown;
}

/**
 * One after the other, so that a group does not exceed the rate of its caller. Those that fail stay chosen; those that
 * are gone, dismissed by somebody else meanwhile, do not fail.
 */
export function useRedrive(onDone: (failed: readonly string[]) => void) {
  const { workspaceid } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const redrive = useMutation({
    mutationFn: async (ids: readonly string[]): Promise<Redriven> => {
      const failed: string[] = [];
      const errors: unknown[] = [];
      let redriven = 0;
      for (const [index, id] of ids.entries()) {
        setDone(index);
        try {
          await call('redriveDeadLetter', { params: { id }, query: { workspaceid } });
          redriven += 1;
        } catch (error) {
          if (isGone(error)) continue;
          failed.push(id);
          errors.push(error);
        }
      }
      return { redriven, failed, error: errors[0] };
    },
    onSuccess: async ({ redriven, failed }) => {
      if (redriven > 0) toasts.add({ title: words.redriveDone(redriven) });
      onDone(failed);
      await queries.invalidateQueries({ queryKey: ['dead-letters'] });
    },
  });
  return { redrive, done };
}

/**
 * One after the other, as above. The first failure ends it and is shown; those that are gone, dismissed by somebody
 * else meanwhile, are none, so the rest can be tried again.
 */
export function useDismiss() {
  const { workspaceid } = useSession();
  const queries = useQueryClient();
  return async (ids: readonly string[]) => {
    try {
      for (const id of ids)
        await call('dismissDeadLetter', { params: { id }, query: { workspaceid } }).catch(
          (error: unknown) => {
            if (!isGone(error)) throw error;
          },
        );
    } finally {
      await queries.invalidateQueries({ queryKey: ['dead-letters'] });
    }
  };
}

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'dead_letter_not_found';
