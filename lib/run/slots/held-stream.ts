// Who follows a run that others carry out holds a function like one who waits for a run of their own, and so takes one of the same slots.
import type { Caller } from '#lib/access/caller.ts';
import { newRunId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import { giveBack, takeRunSlot } from './run-slot.ts';

export interface Follower {
  readonly caller: Caller;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
}

/** The slot is taken before anything is answered, and given back with the end of the stream. */
export async function heldStream<T>(follower: Follower, stream: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const free = await takeFor(follower);
  return held();

  async function* held(): AsyncGenerator<T> {
    try {
      yield* stream;
    } finally {
      await free();
    }
  }
}

/** The slot is taken before the wait begins, and given back when it is over. */
export async function heldWait<T>(follower: Follower, wait: () => Promise<T>): Promise<T> {
  const free = await takeFor(follower);
  try {
    return await wait();
  } finally {
    await free();
  }
}

/** Returns what gives the slot back. */
async function takeFor({ caller, log, remainingMs }: Follower): Promise<() => Promise<void>> {
  const { orgid, id: keyId } = caller;
  const slot = { orgid, keyId, runId: newRunId(), untilMs: Date.now() + remainingMs() };
  await takeRunSlot(slot, Date.now());
  return () => giveBack(slot, log);
}
