// The clocks of a run.

export interface Clock {
  /** Wall time in ms since 1970, for time stamps only. */
  readonly now: () => number;
  /** Monotonic ms, for durations and deadlines. */
  readonly monotonic: () => number;
  /** CPU time of this thread in ms. It does not advance while the process is stopped or waits for a CPU. */
  readonly cpuMs: () => number;
  /** Resolves after `ms`, rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
