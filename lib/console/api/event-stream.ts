// Reads the events of a run as they happen, by fetch, which shows the status of an answer as `EventSource` does not.
import { createParser } from 'eventsource-parser';
import { send } from './client.ts';
import { ApiError } from './problem.ts';

/** How a stream has ended. */
export type StreamEnd =
  /** Nothing more will come. */
  | 'over'
  /** It was closed, as every stream is after two minutes; another one goes on where it ended. */
  | 'closed';

export async function readRunEvents(
  workflow_id: string,
  after: number,
  signal: AbortSignal,
  onEvent: (content: unknown) => void,
): Promise<StreamEnd> {
  const response = await send(
    'followRun',
    { params: { workflow_id }, query: {} },
    { signal, headers: { accept: 'text/event-stream', 'last-event-id': String(after) } },
  );
  if (response.status === 204 || !response.body) return 'over';
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'unauthenticated') throw new ApiError({ status: 401, code: event, title: 'Signed out' });
      onEvent(JSON.parse(data));
    },
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return 'closed';
    parser.feed(value);
  }
}
