// Who follows a run that others carry out holds a function like one who waits for a run of their own, and so takes one of the same slots.
import type { Caller } from '#lib/access/caller.ts';
import { newRunId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import { giveBack, takeRunSlot } from './run-slot.ts';

interface Follower {
  readonly caller: Caller;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
}

/** The slot is taken before anything is answered, and given back with the end of the stream. */
export async function heldStream<T>(
  { caller, log, remainingMs }: Follower,
  stream: AsyncIterable<T>,
): Promise<AsyncIterable<T>> {
  const { orgid, id: keyId } = caller;
  const slot = { orgid, keyId, runId: newRunId(), untilMs: Date.now() + remainingMs() };
  await takeRunSlot(slot, Date.now());
  return held();

  async function* held(): AsyncGenerator<T> {
    try {
      yield* stream;
    } finally {
      await giveBack(slot, log);
    }
  }
}
