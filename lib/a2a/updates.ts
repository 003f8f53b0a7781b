// Converts the events of a run to the updates that a streaming client receives, and a callback to a stream of
// events.
import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatus } from '@a2a-js/sdk';
import type { JsonObject } from '#lib/json/json.ts';
import type { StoredReply } from '#lib/run/output.ts';
import { readLabels, readReplies } from '#lib/run/state.ts';
import {
  isFinal,
  isPaused,
  type RunStatus,
  readStatusTimestamp,
  type StoredEvent,
  type StoredRun,
} from '#lib/run/stored-run.ts';
import { toReplyMessage } from './messages.ts';
import type { OutputModes } from './parts.ts';
import { toTaskStatus } from './status.ts';
import { toChunkArtifact, toResponseArtifact } from './task.ts';

/**
 * A client receives nothing twice, and no chunk that appends to an artifact it has not received. `known` are
 * the replies that it has already.
 */
export function createUpdates(run: StoredRun, known: readonly StoredReply[] = [], modes: OutputModes = []) {
  const seen = new Set(known.map(({ id }) => id));
  const begun = new Set(known.flatMap(({ artifact }) => artifact?.artifact_id ?? []));
  const readTimestamp = createStatusClock(run);
  let status = run.status;
  return (event: StoredEvent): StreamResponse[] => {
    const hasBegun = event.status === 'working' && status !== 'working';
    status = event.status;
    const updates = readReplies(event).flatMap((reply) => {
      if (seen.has(reply.id)) return [];
      seen.add(reply.id);
      if (!reply.artifact) return [toReplyUpdate(run, readTimestamp('working', event.at), reply)];
      const {
        artifact_id,
        append = false,
        last_chunk = reply.artifact.append === undefined,
      } = reply.artifact;
      const isMore = append && begun.has(artifact_id);
      begun.add(artifact_id);
      return [
        buildArtifactUpdate(run, { artifact: toChunkArtifact(reply), append: isMore, lastChunk: last_chunk }),
      ];
    });
    const response = event.response === undefined ? undefined : JSON.parse(event.response);
    const artifact = toResponseArtifact({ response, as: event.as, labels: readLabels(event) }, modes);
    if (artifact) updates.push(buildArtifactUpdate(run, { artifact, append: false, lastChunk: true }));
    const timestamp = readTimestamp(event.status, event.at);
    // A message of the task says so already.
    if (hasBegun && !updates.some(isStatusUpdate)) updates.unshift(toWorkingUpdate(run, timestamp));
    if (isFinal(event.status) || isPaused(event.status))
      updates.push(toStatusUpdate(run, timestamp, event, { response, modes }));
    return updates;
  };
}

const isStatusUpdate = ({ payload }: StreamResponse): boolean => payload?.$case === 'statusUpdate';

/** A worker has taken the task, or somebody has answered its question or stored what was missing. */
const toWorkingUpdate = (run: StoredRun, timestamp: string): StreamResponse =>
  buildStatusUpdate(run, toTaskStatus('working', timestamp, run.run_id, run.context_id));

/** The timestamp of the status of each event: the time of the first event that has the status. */
function createStatusClock(run: StoredRun): (status: RunStatus, at: string) => string {
  let current = { status: run.status, timestamp: readStatusTimestamp(run) };
  return (status, at) => {
    if (status !== current.status) current = { status, timestamp: at };
    return current.timestamp;
  };
}

function toReplyUpdate(run: StoredRun, timestamp: string, reply: StoredReply): StreamResponse {
  const { run_id, context_id } = run;
  return buildStatusUpdate(run, {
    ...toTaskStatus('working', timestamp, run_id, context_id),
    message: toReplyMessage(run_id, context_id, reply),
  });
}

/** The run has ended or is paused. */
function toStatusUpdate(
  run: StoredRun,
  timestamp: string,
  event: StoredEvent,
  ending: { readonly response: JsonObject | undefined; readonly modes: OutputModes },
): StreamResponse {
  const { status, error, failure, requests, needs, as } = event;
  const details = {
    ...ending,
    error,
    failure,
    as,
    message: event.status_message,
    requests: requests === undefined ? [] : JSON.parse(requests),
    needs: needs === undefined ? undefined : JSON.parse(needs),
  };
  return buildStatusUpdate(run, toTaskStatus(status, timestamp, run.run_id, run.context_id, details));
}

const buildStatusUpdate = (
  { run_id: taskId, context_id: contextId }: StoredRun,
  status: TaskStatus,
): StreamResponse => ({
  payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } },
});

const buildArtifactUpdate = (
  { run_id: taskId, context_id: contextId }: StoredRun,
  chunk: Pick<TaskArtifactUpdateEvent, 'artifact' | 'append' | 'lastChunk'>,
): StreamResponse => ({
  payload: { $case: 'artifactUpdate', value: { taskId, contextId, ...chunk, metadata: undefined } },
});

/**
 * Starts the work at once, before the stream is read. Yields its events as they are stored, and ends when the
 * work has settled.
 */
export function streamEvents(
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
      // Also for a client that disconnects early: Lambda freezes a function whose handler has returned, and
      // the work with it.
      await done;
    }
  }
}
