// What ends a run, or a scope of it, from outside its nodes: cancellation, a deadline, a sibling that made it needless. Whoever waits for a
// port waits for this too.
import { NodeError } from '../format/node-error.ts';
import type { Clock } from '../ports/clock.ts';

export interface Stop {
  /** Why to stop, once it has to be. */
  readonly error: () => NodeError | undefined;
  /** Calls back at the moment of the stop; returns the way to take that back. */
  readonly onStop: (callback: (error: NodeError) => void) => () => void;
  readonly end: (error: NodeError) => void;
  /** All is over: forgets the timer and the stop around this one. */
  readonly close: () => void;
}

interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  readonly error: () => NodeError;
}

/** Stops with the one around it, at its own deadline, or when it is told to. */
export function createStop(outer?: Stop, deadline?: Deadline): Stop {
  const callbacks = new Set<(error: NodeError) => void>();
  let reason: NodeError | undefined;
  const end = (error: NodeError) => {
    if (reason) return;
    reason = error;
    for (const callback of callbacks) callback(error);
  };
  const forget = outer?.onStop(end);
  const timer = deadline && startTimer(deadline, end);
  return {
    error: () => {
      if (!reason) timer?.check();
      return reason ?? outer?.error();
    },
    onStop: (callback) => {
      if (reason) callback(reason);
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    end,
    close: () => {
      forget?.();
      timer?.close();
    },
  };
}

function startTimer({ clock, ms, error }: Deadline, end: (error: NodeError) => void) {
  const abort = new AbortController();
  const deadline = clock.monotonic() + ms;
  const timeUp = () => end(error());
  if (ms <= 0) timeUp();
  else if (ms !== Number.POSITIVE_INFINITY) clock.sleep(ms, abort.signal).then(timeUp, ignore);
  return {
    // Timers do not run while code computes, so the clock is asked as well.
    check: () => {
      if (clock.monotonic() >= deadline) timeUp();
    },
    close: () => abort.abort(),
  };
}

/** What is left of a limit has fractions of its ms, which help nobody. */
const inSeconds = (ms: number) => Number((Math.max(0, ms) / 1_000).toFixed(1));

/** For a whole run: its time, and the caller's signal. */
export function createRunStop(clock: Clock, ms: number, signal: AbortSignal): Stop {
  const error = () => new NodeError('limit.timeout', `The run passed its time limit of ${inSeconds(ms)} s.`);
  const stop = createStop(undefined, { clock, ms, error });
  const cancel = () => stop.end(new NodeError('canceled', 'The run was canceled.'));
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return {
    ...stop,
    close: () => {
      signal.removeEventListener('abort', cancel);
      stop.close();
    },
  };
}

/** Settles with the promise or, as soon as it has to stop, rejects; what the promise does later is dropped. */
export function untilStopped<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = stop.onStop(reject);
    promise.then(resolve, reject).finally(forget);
  });
}

/** The same for what can be called off itself. */
export async function signalled<T>(stop: Stop, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const forget = stop.onStop((error) => controller.abort(error));
  try {
    return await untilStopped(stop, call(controller.signal));
  } finally {
    forget();
  }
}

/** Rejects when it has to stop before. */
export async function sleep(stop: Stop, clock: Clock, ms: number): Promise<void> {
  const timer = new AbortController();
  try {
    const slept = clock.sleep(ms, timer.signal);
    slept.catch(ignore);
    await untilStopped(stop, slept);
  } finally {
    timer.abort();
  }
}

/** A sleep rejects when nobody waits for it any more. */
export const ignore = () => {};
