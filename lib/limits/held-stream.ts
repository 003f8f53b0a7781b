// Streams and waits that hold a permit: a follower's, or that of a caller who has sent a message to a run and waits for what comes of it.
import type { Caller } from '#lib/access/caller.ts';
import { newRunId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import { acquirePermit, releasePermit } from './concurrency-permit.ts';
import type { PermitUse } from './permit-items.ts';

export interface Listener {
  readonly caller: Caller;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
}

/** Who looks at a run: the streams and waits made for it end when the signal is aborted. */
export interface Follower extends Listener {
  readonly signal: AbortSignal;
}

/** The permit is taken before anything is answered, and released with the end of the stream. */
export async function heldStream<T>(
  listener: Listener,
  use: PermitUse,
  stream: AsyncIterable<T>,
): Promise<AsyncIterable<T>> {
  const free = await takeFor(listener, use);
  return held();

  async function* held(): AsyncGenerator<T> {
    try {
      yield* stream;
    } finally {
      await free();
    }
  }
}

/** The permit of a follower is taken before the wait begins, and released when it is over. */
export async function heldWait<T>(follower: Follower, wait: () => Promise<T>): Promise<T> {
  const free = await takeFor(follower, 'follow');
  try {
    return await wait();
  } finally {
    await free();
  }
}

/** Returns what releases the permit. */
async function takeFor({ caller, log, remainingMs }: Listener, use: PermitUse): Promise<() => Promise<void>> {
  const { orgid, id: keyId } = caller;
  const permit = { use, orgid, keyId, runId: newRunId(), untilMs: Date.now() + remainingMs() };
  await acquirePermit(permit, Date.now());
  return () => releasePermit(permit, log);
}
