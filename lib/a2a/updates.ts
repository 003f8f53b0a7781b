// Events of a run as the updates that a streaming client sees, and the way from a callback to a stream of them.
import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatus } from '@a2a-js/sdk';
import type { StoredReply } from '#lib/run/output.ts';
import { repliesOf } from '#lib/run/state.ts';
import { isFinal, isPaused, type StoredEvent, type StoredRun } from '#lib/run/stored-run.ts';
import { chunkArtifact, replyMessage, responseArtifact, statusOf } from './task.ts';

/** A client gets nothing twice, and no chunk as an addition to an artifact that it has never received. */
export function createUpdates(run: StoredRun, known: readonly StoredReply[] = []) {
  const seen = new Set(known.map(({ id }) => id));
  const begun = new Set(known.flatMap(({ artifact }) => artifact?.artifact_id ?? []));
  return (event: StoredEvent): StreamResponse[] => {
    const updates = repliesOf(event).flatMap((reply) => {
      if (seen.has(reply.id)) return [];
      seen.add(reply.id);
      if (!reply.artifact) return [toReplyUpdate(run, event, reply)];
      const {
        artifact_id,
        append = false,
        last_chunk = reply.artifact.append === undefined,
      } = reply.artifact;
      const isMore = append && begun.has(artifact_id);
      begun.add(artifact_id);
      return [artifactUpdate(run, { artifact: chunkArtifact(reply), append: isMore, lastChunk: last_chunk })];
    });
    if (event.response !== undefined && event.as === undefined) {
      const artifact = responseArtifact(JSON.parse(event.response));
      updates.push(artifactUpdate(run, { artifact, append: false, lastChunk: true }));
    }
    if (isFinal(event.status) || isPaused(event.status)) updates.push(toPauseUpdate(run, event));
    return updates;
  };
}

function toReplyUpdate(run: StoredRun, { at }: StoredEvent, reply: StoredReply): StreamResponse {
  const { run_id, context_id } = run;
  return statusUpdate(run, {
    ...statusOf('working', at, run_id, context_id),
    message: replyMessage(run_id, context_id, reply),
  });
}

/** The run is over, or paused. */
function toPauseUpdate(run: StoredRun, event: StoredEvent): StreamResponse {
  const { status, at, error, requests, needs, response, as } = event;
  const said = {
    error,
    as,
    requests: requests === undefined ? [] : JSON.parse(requests),
    needs: needs === undefined ? undefined : JSON.parse(needs),
    response: response === undefined ? undefined : JSON.parse(response),
  };
  return statusUpdate(run, statusOf(status, at, run.run_id, run.context_id, said));
}

const statusUpdate = (
  { run_id: taskId, context_id: contextId }: StoredRun,
  status: TaskStatus,
): StreamResponse => ({
  payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } },
});

const artifactUpdate = (
  { run_id: taskId, context_id: contextId }: StoredRun,
  chunk: Pick<TaskArtifactUpdateEvent, 'artifact' | 'append' | 'lastChunk'>,
): StreamResponse => ({
  payload: { $case: 'artifactUpdate', value: { taskId, contextId, ...chunk, metadata: undefined } },
});

/** Starts the work at once, before anybody reads. Yields its events as they are stored, and ends when the work has settled. */
export function follow(
  work: (onEvent: (event: StoredEvent) => void) => Promise<unknown>,
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
