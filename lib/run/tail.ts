// The events of a run as they come, whoever writes them and wherever: read again and again, seldom while
// nothing happens. Whatever follows a run from outside (waiting for a state, streams of events) reads it through
// this. A follower also writes the end of a run whose process has died, since nobody else may look at it.
import { setTimeout } from 'node:timers/promises';
import { endIfAbandoned } from './end.ts';
import { lookAfterMs } from './lease-times.ts';
import { readEventItems, readEvents, readRun } from './run-items.ts';
import { isFinal, isPaused, type RunStatus, type StoredEvent } from './stored-run.ts';

const pollMsMin = 100;
export const pollMsMax = 1_000;
/** What is stored is on a screen within 250 ms. */
export const watchedPollMsMax = 200;

export interface TailOptions {
  /** The generation that is known already. */
  readonly after: number;
  readonly forMs: number;
  /** Aborted when nobody listens any more. */
  readonly signal?: AbortSignal;
  /**
   * The status that the run has, if people watch it: as long as it works, it is read five times a second. One that
   * waits for somebody is read as seldom as for others.
   */
  readonly watched?: RunStatus;
  /** May not write: it leaves a run whose process has died to others. */
  readonly isReader?: boolean;
}

/** Ends after the last event of the run, when the time is up, or when nobody listens any more. */
export function tail(id: string, options: TailOptions): AsyncGenerator<StoredEvent> {
  return following(readEvents, id, options);
}

/** Settles with the first event after a generation, when the time is up, or when nobody listens any more. */
export async function untilChanged(id: string, options: TailOptions): Promise<void> {
  for await (const _event of following(readEventItems, id, options)) return;
}

async function* following<E extends Pick<StoredEvent, 'generation' | 'status'>>(
  read: (id: string, after: number) => Promise<E[]>,
  id: string,
  { after, forMs, signal, isReader, watched }: TailOptions,
): AsyncGenerator<E> {
  const endsAt = performance.now() + forMs;
  let seen = after;
  let lookAt = performance.now() + lookAfterMs;
  let isWorking = watched !== undefined && !isPaused(watched);
  for (
    let pauseMs = pollMsMin;
    ;
    pauseMs = Math.min(pauseMs * 1.5, isWorking ? watchedPollMsMax : pollMsMax)
  ) {
    for (const event of await read(id, seen)) {
      if (signal?.aborted) return;
      seen = event.generation;
      isWorking = watched !== undefined && !isPaused(event.status);
      pauseMs = pollMsMin;
      lookAt = performance.now() + lookAfterMs;
      yield event;
      if (isFinal(event.status)) return;
    }
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0 || signal?.aborted) return;
    if (!isReader && performance.now() >= lookAt) {
      await endIfDead(id);
      lookAt = performance.now() + lookAfterMs;
      continue;
    }
    await pause(Math.min(pauseMs, leftMs), signal);
  }
}

async function endIfDead(id: string): Promise<void> {
  const run = await readRun(id);
  if (run) await endIfAbandoned(run, Date.now());
}

/** Ends early with the signal. A generator cannot be ended while it waits, so whoever leaves must wake it. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal && { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
