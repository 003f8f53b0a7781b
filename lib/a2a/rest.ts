// When nothing more comes of a task for now, and what comes before that.
import { isFinal, isPaused, type RunStatus, type StoredEvent, type StoredRun } from '#lib/run/stored-run.ts';
import { tail } from '#lib/run/tail.ts';
import type { Conversation } from './own-task.ts';

/** Nothing more comes for a while; a worker may have been so quick. */
export const isAtRest = (status: RunStatus): boolean => isFinal(status) || isPaused(status);

/** Nothing more comes without a message to the task. */
export const isStuck = (status: RunStatus): boolean => isFinal(status) || status === 'input_required';

/** Left of the function's time for the answer. */
export const answerMs = 10_000;

/** Ends with the run, where it waits for somebody, when the client leaves, and with the function's time: the client subscribes again then. */
export async function* eventsAfter(
  run: StoredRun,
  generation: number,
  { remainingMs, signal }: Conversation,
  isEnd = isAtRest,
): AsyncGenerator<StoredEvent> {
  const options = { after: generation, forMs: remainingMs() - answerMs, signal };
  for await (const event of tail(run.run_id, options)) {
    yield event;
    if (isEnd(event.status)) return;
  }
}

export async function untilAtRest(run: StoredRun, conversation: Conversation): Promise<void> {
  for await (const _event of eventsAfter(run, run.generation, conversation));
}
