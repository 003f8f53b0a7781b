// The clocks of a run.

export interface Clock {
  /** Wall time in ms since 1970, for time stamps only. */
  readonly now: () => number;
  /** Monotonic ms, for durations and deadlines. */
  readonly monotonic: () => number;
  /** Ms for which this thread has computed. It does not advance while the process is stopped or waits for the processor. */
  readonly cpuMs: () => number;
  /** Resolves after `ms`, rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
