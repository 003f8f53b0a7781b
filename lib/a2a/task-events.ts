// The events of a task that other processes write, and when to stop waiting for more.
import { withConfigurationLinks } from '#lib/run/configuration-link.ts';
import { isFinal, isPaused, type RunStatus, type StoredEvent, type StoredRun } from '#lib/run/stored-run.ts';
import { tail } from '#lib/run/tail.ts';
import { withFileLinks } from './file-links.ts';
import type { CallContext } from './own-task.ts';

/** The task has ended or is paused: a client that waits gets its answer now. */
export const isSettled = (status: RunStatus): boolean => isFinal(status) || isPaused(status);

/** Nothing more happens until the client sends a message to the task. */
export const needsMessage = (status: RunStatus): boolean => isFinal(status) || status === 'input_required';

/** The part of the function's time that is reserved for the response. */
export const responseReserveMs = 10_000;

/**
 * Ends when the status of the task is one that `isEnd` accepts, when the client disconnects, and when the
 * function's time is over: the client subscribes again then.
 */
export async function* followEvents(
  run: StoredRun,
  generation: number,
  { caller, remainingMs, signal }: CallContext,
  isEnd = isSettled,
): AsyncGenerator<StoredEvent> {
  const options = { after: generation, forMs: remainingMs() - responseReserveMs, signal };
  for await (const event of tail(run.run_id, options)) {
    yield* await withFileLinks(run, await withConfigurationLinks(run, [event], caller, Date.now()));
    if (isEnd(event.status)) return;
  }
}

export async function waitUntilSettled(run: StoredRun, context: CallContext): Promise<void> {
  for await (const _event of followEvents(run, run.generation, context));
}
