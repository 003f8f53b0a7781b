// The events of a run as server-sent events (HTML standard, §9.2): what is stored already, then what comes.

import type { RunView } from '#lib/run/state.ts';
import { isFinal, type StoredEvent } from '#lib/run/stored-run.ts';
import { tail } from '#lib/run/tail.ts';
import { withConfigurationLinks } from './configuration-link.ts';
import type { Follower } from './held-stream.ts';

/** Left of the function's time to end the stream in order. */
const endMs = 10_000;

/**
 * The generation that a client has seen. One that comes back says it in `Last-Event-ID`, which wins over the
 * address it was made with.
 */
export function seenBy(lastEventId: string | undefined, after: number | undefined): number {
  const isOurs = lastEventId !== undefined && /^\d{1,9}$/.test(lastEventId);
  return isOurs ? Number(lastEventId) : (after ?? 0);
}

/** Nothing came after that, and nothing will. */
export const hasSeenAll = (view: RunView, seen: number): boolean =>
  isFinal(view.status) && seen >= view.run.generation;

/**
 * The last event of a stream whose key does not hold any more. A browser that connects again is refused then,
 * and gives up.
 */
export const refusedEvent = `event: unauthenticated\ndata: ${JSON.stringify({ code: 'unauthenticated' })}\n\n`;

export async function* runEvents(
  view: RunView,
  seen: number,
  { caller, remainingMs, signal }: Follower,
): AsyncGenerator<string> {
  const forMs = isFinal(view.status) ? 0 : remainingMs() - endMs;
  for await (const event of tail(view.run.run_id, { after: seen, forMs, signal, watched: view.status }))
    for (const shown of await withConfigurationLinks(view.run, [event], caller, Date.now()))
      yield serverSent(event.generation, toContent(shown));
}

const serverSent = (id: number, content: object): string => `id: ${id}\ndata: ${JSON.stringify(content)}\n\n`;

function toContent({ generation, at, status, error, failure, ...event }: StoredEvent): object {
  const parts = {
    logs: event.logs,
    replies: event.replies,
    texts: event.texts,
    response: event.response,
    input_requests: event.requests,
    needs: event.needs,
  };
  const given = Object.entries(parts).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, JSON.parse(text)]],
  );
  return {
    generation,
    at,
    status,
    ...Object.fromEntries(given),
    ...(error !== undefined && { error }),
    ...(failure && { failure }),
  };
}
