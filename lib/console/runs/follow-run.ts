// Follows a run while the page is visible: one stream for the tab, resumed after each break. Where too many are
// followed already, the run is read again from time to time instead.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import { readRunEvents } from '../api/event-stream.ts';
import { ApiError } from '../api/problem.ts';
import { applyEvent, type Live, nothingYet, type RunEvent } from './run-events.ts';

export type Connection = 'live' | 'reconnecting' | 'paused' | 'polling' | 'over';

const waitMsMin = 500;
const waitMsMax = 15_000;
const pollMs = 4_000;

export function useFollowedRun(id: string, isRunOver: boolean): { live: Live; connection: Connection } {
  const [live, apply] = useReducer(applyEvent, nothingYet);
  const [connection, setConnection] = useState<Connection>('reconnecting');
  const queries = useQueryClient();
  useEffect(() => {
    if (isRunOver) return setConnection('over');
    const seen = { generation: 0 };
    const onEvent = (content: unknown) => {
      // The service writes it.
      const event = content as RunEvent;
      seen.generation = Math.max(seen.generation, event.generation);
      apply(event);
      if (event.status !== 'working') void queries.invalidateQueries({ queryKey: ['run', id] });
    };
    return whileVisible(setConnection, (signal) =>
      follow(id, seen, signal, onEvent, setConnection, () => {
        void queries.invalidateQueries({ queryKey: ['run', id] });
      }),
    );
  }, [id, isRunOver, queries]);
  return { live, connection };
}

/** Aborts what runs while the page is hidden, and begins it again when it is shown. */
function whileVisible(show: (connection: Connection) => void, run: (signal: AbortSignal) => Promise<void>) {
  let running: AbortController | undefined;
  const update = () => {
    if (document.hidden) {
      running?.abort();
      running = undefined;
      show('paused');
    } else if (!running) {
      running = new AbortController();
      void run(running.signal);
    }
  };
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    running?.abort();
  };
}

async function follow(
  id: string,
  seen: { readonly generation: number },
  signal: AbortSignal,
  onEvent: (content: unknown) => void,
  show: (connection: Connection) => void,
  refresh: () => void,
): Promise<void> {
  for (let waitMs = waitMsMin; !signal.aborted; ) {
    try {
      show('live');
      const before = seen.generation;
      const end = await readRunEvents(id, before, signal, onEvent);
      refresh();
      if (end === 'over') return show('over');
      waitMs = seen.generation > before ? waitMsMin : Math.min(waitMs * 2, waitMsMax);
    } catch (error) {
      if (signal.aborted) return;
      const status = error instanceof ApiError ? error.problem.status : 0;
      if (status === 401) return refresh();
      show(status === 429 ? 'polling' : 'reconnecting');
      if (status === 429) refresh();
      waitMs = status === 429 ? pollMs : Math.min(waitMs * 2, waitMsMax);
    }
    await pause(waitMs * (0.75 + Math.random() / 2), signal);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
