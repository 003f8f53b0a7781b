// Streams and waits that hold a permit: those of followers, and of callers who have sent a message to a run
// and wait for its effect.
import type { Caller } from '#lib/access/caller.ts';
import { newRunId } from '#lib/ids.ts';
import { releasePermit } from '#lib/limits/concurrency-permit.ts';
import type { PermitUse } from '#lib/limits/permit-items.ts';
import type { Log } from '#lib/log.ts';
import { acquireRunPermit } from './run-permit.ts';

export interface Listener {
  readonly caller: Caller;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
}

/** A client that follows a run. Its streams and waits end when the signal is aborted. */
export interface Follower extends Listener {
  readonly signal: AbortSignal;
}

/** The permit is acquired before the response begins, and released when the stream ends. */
export async function heldStream<T>(
  listener: Listener,
  use: PermitUse,
  stream: AsyncIterable<T>,
): Promise<AsyncIterable<T>> {
  const free = await acquireFor(listener, use);
  return held();

  async function* held(): AsyncGenerator<T> {
    try {
      yield* stream;
    } finally {
      await free();
    }
  }
}

/** The permit is acquired before the wait begins, and released when it ends. */
export async function heldWait<T>(follower: Follower, wait: () => Promise<T>): Promise<T> {
  const free = await acquireFor(follower, 'follow');
  try {
    return await wait();
  } finally {
    await free();
  }
}

/** Returns the function that releases the permit. */
async function acquireFor(
  { caller, log, remainingMs }: Listener,
  use: PermitUse,
): Promise<() => Promise<void>> {
  const { orgid, id: keyId } = caller;
  const permit = { use, orgid, keyId, runId: newRunId(), untilMs: Date.now() + remainingMs() };
  await acquireRunPermit(permit, Date.now());
  return () => releasePermit(permit, log);
}
