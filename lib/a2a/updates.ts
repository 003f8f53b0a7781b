// Events of a run as the updates that a streaming client sees, and the way from a callback to a stream of them.
import type { StreamResponse } from '@a2a-js/sdk';
import type { Reply } from '#lib/flow/ports.ts';
import { isFinal, type StoredEvent, type StoredRun } from '#lib/run/stored.ts';
import { artifactUpdate, replyMessage, responseArtifact, statusOf, statusUpdate } from './task.ts';

export function updatesOf(run: StoredRun, event: StoredEvent): StreamResponse[] {
  const { run_id, context_id } = run;
  const replies: Reply[] = event.replies === undefined ? [] : JSON.parse(event.replies);
  const updates = replies.map((reply, n) => {
    const message = replyMessage(run_id, context_id, reply, event.generation * 1_000 + n);
    return statusUpdate(run_id, context_id, {
      ...statusOf('working', event.at, run_id, context_id),
      message,
    });
  });
  if (event.response !== undefined) {
    updates.push(artifactUpdate(run_id, context_id, responseArtifact(JSON.parse(event.response))));
  }
  if (isFinal(event.status)) updates.push(endOf(run, event));
  return updates;
}

export const endOf = (run: StoredRun, end: Pick<StoredEvent, 'status' | 'at' | 'error'>): StreamResponse =>
  statusUpdate(
    run.run_id,
    run.context_id,
    statusOf(end.status, end.at, run.run_id, run.context_id, end.error),
  );

/** Events as they are told, until the work that tells them has settled. */
export async function* follow(
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
  for (;;) {
    for (let event = waiting.shift(); event; event = waiting.shift()) yield event;
    if (isOver) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  await done;
}
