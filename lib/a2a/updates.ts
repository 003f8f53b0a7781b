// Events of a run as the updates that a streaming client sees, and the way from a callback to a stream of them.
import type { StreamResponse } from '@a2a-js/sdk';
import { repliesOf } from '#lib/run/state.ts';
import { isFinal, isPaused, type StoredEvent, type StoredRun } from '#lib/run/stored.ts';
import { artifactUpdate, replyMessage, responseArtifact, statusOf, statusUpdate } from './task.ts';

export function updatesOf(run: StoredRun, event: StoredEvent): StreamResponse[] {
  const { run_id, context_id } = run;
  const updates = repliesOf(event).map((reply) =>
    statusUpdate(run_id, context_id, {
      ...statusOf('working', event.at, run_id, context_id),
      message: replyMessage(run_id, context_id, reply),
    }),
  );
  if (event.response !== undefined) {
    updates.push(artifactUpdate(run_id, context_id, responseArtifact(JSON.parse(event.response))));
  }
  if (isFinal(event.status) || isPaused(event.status)) updates.push(restOf(run, event));
  return updates;
}

/** The run is over, or asks something. */
function restOf({ run_id, context_id }: StoredRun, event: StoredEvent): StreamResponse {
  const { status, at, error, requests } = event;
  const said = { error, requests: requests === undefined ? [] : JSON.parse(requests) };
  return statusUpdate(run_id, context_id, statusOf(status, at, run_id, context_id, said));
}

/** Starts the work at once, whoever listens. Gives its events as they are told, and ends when it has settled. */
export function follow(
  work: (tell: (event: StoredEvent) => void) => Promise<unknown>,
): AsyncGenerator<StoredEvent> {
  const waiting: StoredEvent[] = [];
  let wake = () => {};
  let isOver = false;
  const done = work((event) => {
    waiting.push(event);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  done.catch(() => undefined);
  return events();

  async function* events(): AsyncGenerator<StoredEvent> {
    try {
      for (;;) {
        for (let event = waiting.shift(); event; event = waiting.shift()) yield event;
        if (isOver) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      // Also for a listener who leaves early: Lambda freezes a function whose handler has returned, and the work with it.
      await done;
    }
  }
}
