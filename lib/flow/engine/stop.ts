// Stops a run, or a scope of it, from outside its nodes: cancellation, a deadline, a sibling scope that made
// it unnecessary. Code that waits for a port also waits for the stop.
import { NodeError } from '../format/node-error.ts';
import type { Clock } from '../ports/clock.ts';

export interface Stop {
  /** The reason, once it is stopped. */
  readonly error: () => NodeError | undefined;
  /**
   * Calls back when it is stopped, at once if it already is. Returns a function that removes the callback.
   */
  readonly onStop: (callback: (error: NodeError) => void) => () => void;
  readonly end: (error: NodeError) => void;
  /** Removes the timer and the subscription to the outer stop. */
  readonly close: () => void;
}

interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  readonly error: () => NodeError;
}

/** Stops with the outer one, at its own deadline, or when `end` is called. */
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
    // Timers do not run while code computes, so the clock is read as well.
    check: () => {
      if (clock.monotonic() >= deadline) timeUp();
    },
    close: () => abort.abort(ignored),
  };
}

/** Rounded to tenths, as a remaining limit may have fractions of a millisecond. */
const inSeconds = (ms: number) => Number((Math.max(0, ms) / 1_000).toFixed(1));

/** The stop of a whole run: at its time limit, and when the caller's signal aborts. */
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

/**
 * Settles like the promise, or rejects as soon as it is stopped. A later result of the promise is ignored.
 */
export function untilStopped<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = stop.onStop(reject);
    promise.then(
      (value) => {
        forget();
        resolve(value);
      },
      (error: unknown) => {
        forget();
        reject(error);
      },
    );
  });
}

/** The same for calls that take an abort signal. */
export async function signalled<T>(stop: Stop, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const forget = stop.onStop((error) => controller.abort(error));
  try {
    return await untilStopped(stop, call(controller.signal));
  } finally {
    forget();
  }
}

/** Rejects if it is stopped earlier. */
export async function sleep(stop: Stop, clock: Clock, ms: number): Promise<void> {
  const timer = new AbortController();
  try {
    const slept = clock.sleep(ms, timer.signal);
    slept.catch(ignore);
    await untilStopped(stop, slept);
  } finally {
    timer.abort(ignored);
  }
}

/** A sleep that is aborted rejects, with nobody waiting for it. */
export const ignore = () => {};

/** The reason of such an abort: without one, each abort makes an error with a stack. */
const ignored = 'over';
