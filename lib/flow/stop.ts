// What ends a run from outside its nodes: cancellation and the run's own deadline. Whoever waits for a port waits for this too.
import { NodeError } from './node-error.ts';
import type { Ports } from './ports.ts';

export interface Stop {
  /** Why the run has to stop, once it has to. */
  readonly error: () => NodeError | undefined;
  /** Calls back at the moment the run has to stop; returns the way to take that back. */
  readonly onStop: (callback: (error: NodeError) => void) => () => void;
  /** The run is over: forgets the timer and the signal. */
  readonly close: () => void;
}

export function createStop(clock: Ports['clock'], ms: number, signal: AbortSignal): Stop {
  const callbacks = new Set<(error: NodeError) => void>();
  const timer = new AbortController();
  const deadline = clock.monotonic() + ms;
  let reason: NodeError | undefined;
  const stop = (error: NodeError) => {
    if (reason) return;
    reason = error;
    for (const callback of callbacks) callback(error);
  };
  const cancel = () => stop(new NodeError('canceled', 'The run was canceled.'));
  const timeUp = () =>
    stop(new NodeError('limit.timeout', `The run passed its time limit of ${Math.max(0, ms) / 1000} s.`));
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  if (ms <= 0) timeUp();
  else clock.sleep(ms, timer.signal).then(timeUp, ignore);
  return {
    error: () => {
      // Timers do not run while code computes, so the clock is asked as well.
      if (!reason && clock.monotonic() >= deadline) timeUp();
      return reason;
    },
    onStop: (callback) => {
      if (reason) callback(reason);
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    close: () => {
      signal.removeEventListener('abort', cancel);
      timer.abort();
    },
  };
}

/** Settles with the promise or, as soon as the run has to stop, rejects; what the promise does later is dropped. */
export function untilStopped<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = stop.onStop(reject);
    promise.then(resolve, reject).finally(forget);
  });
}

/** A sleep rejects when nobody waits for it any more. */
export const ignore = () => {};
