// The events of a run as server-sent events (HTML standard, §9.2): what is stored already, then what comes.
import type { RunView } from '#lib/run/state.ts';
import { isFinal, type StoredEvent } from '#lib/run/stored.ts';
import { tail } from '#lib/run/tail.ts';

/** Left of the function's time to end the stream in order. */
const endMs = 10_000;

/** A client that comes back says what it has seen in `Last-Event-ID`, which wins over the address it was made with. */
export async function* runEvents(
  view: RunView,
  lastEventId: string | undefined,
  after: number | undefined,
  remainingMs: () => number,
): AsyncGenerator<string> {
  const { run_id, generation, status } = view.run;
  const seen =
    lastEventId !== undefined && /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : (after ?? 0);
  // Nobody goes on with it, so nothing more will come than that.
  const isAbandoned = isFinal(view.status) && !isFinal(status);
  const forMs = isFinal(view.status) ? 0 : remainingMs() - endMs;
  for await (const event of tail(run_id, seen, forMs)) yield serverSent(event.generation, contentOf(event));
  if (isAbandoned) yield serverSent(generation, { status: view.status, error: view.error });
}

const serverSent = (id: number, content: object): string => `id: ${id}\ndata: ${JSON.stringify(content)}\n\n`;

function contentOf({ generation, at, status, error, ...event }: StoredEvent): object {
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
  return { generation, at, status, ...Object.fromEntries(given), ...(error !== undefined && { error }) };
}
