// The updates of a task that a push notification configuration receives, derived from the event log alone: first
// the task as it was when the configuration was stored, then the updates of a stream. Each attempt, by any
// process, therefore sends the same.
import type { StreamResponse } from '@a2a-js/sdk';
import type { PushCursor } from '#lib/delivery/push-config.ts';
import { type RunView, viewRunAt } from '#lib/run/state.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { describeTask } from './own-task.ts';
import { createUpdates } from './updates.ts';

export interface PushUpdate {
  /** Of the configuration that has received it. */
  readonly cursor: PushCursor;
  readonly response: StreamResponse;
  /** Nothing follows: the task has ended. */
  readonly isEnd: boolean;
}

/** Those after the cursor, in order. */
export function listPushUpdates(view: RunView, first: number, cursor: PushCursor): PushUpdate[] {
  const before = viewRunAt(view, first);
  const updates = createUpdates(before.run, before.replies);
  const task: StreamResponse = { payload: { $case: 'task', value: describeTask(before) } };
  const all = [
    ...toPushUpdates(first, [task], isFinal(before.status)),
    ...view.events
      .filter(({ generation }) => generation > first)
      .flatMap((event) => toPushUpdates(event.generation, updates(event), isFinal(event.status))),
  ];
  return all.filter((update) => isAfter(update.cursor, cursor));
}

const toPushUpdates = (
  generation: number,
  responses: StreamResponse[],
  isFinalEvent: boolean,
): PushUpdate[] =>
  responses.map((response, n) => ({
    cursor: { generation, updates: n + 1 },
    response,
    isEnd: isFinalEvent && n + 1 === responses.length,
  }));

const isAfter = (one: PushCursor, other: PushCursor): boolean =>
  one.generation === other.generation ? one.updates > other.updates : one.generation > other.generation;
